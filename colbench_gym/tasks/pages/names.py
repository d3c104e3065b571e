"""Names that pages draw from."""

# fmt: off
SURNAMES = (
    "Adler", "Abara", "Barlow", "Brandt", "Castellan", "Corrigan", "Dalgaard", "Devlin", "Ekwueme", "Ellery",
    "Farrow", "Fontaine", "Gallagher", "Gruber", "Hale", "Holloway", "Ibarra", "Ingram", "Jansen", "Juarez", "Kaplan",
    "Kowal", "Lindqvist", "Loxley", "Marlowe", "Mbeki", "Nakata", "Norwood", "Okafor", "Ortega", "Pascoe", "Petrov",
    "Quill", "Quintana", "Rasmussen", "Rosales", "Sandoval", "Sato", "Thorne", "Tanaka", "Underhill", "Varga",
    "Vance", "Whitlock", "Winslow", "Yates", "Yilmaz", "Zeller",
)

FIRST_NAMES = (
    "Amara", "Anton", "Beatriz", "Bruno", "Clara", "Cyrus", "Dalia", "Dmitri", "Edith", "Emeka", "Farida", "Felix",
    "Greta", "Goran", "Hana", "Hugo", "Imani", "Ines", "Jonas", "Jia", "Kaito", "Katya", "Leila", "Lorenz", "Mateo",
    "Mina", "Nadia", "Nils", "Odette", "Omar", "Paloma", "Piotr", "Rania", "Rosa", "Samir", "Sigrid", "Tariq",
    "Tilda", "Ursula", "Viktor", "Wanda", "Yara", "Zoltan",
)

TOWNS = (
    "Alderbrook", "Ashford", "Birchwood", "Brackenridge", "Carrow", "Cedar Falls", "Dunmore", "Easterly", "Elmhurst",
    "Fairhaven", "Glenwick", "Hartsfield", "Inverley", "Juniper Hill", "Kingsport", "Lakemont", "Larkhall",
    "Maplewood", "Marston", "Northgate", "Oakhollow", "Pinebrook", "Quarry Bank", "Redfern", "Ridgeway", "Saltmarsh",
    "Stonebridge", "Tidewater", "Upland", "Westbrook", "Willowdale", "Wrenfield",
)

STREETS = (
    "Mill", "Harbor", "Chestnut", "Station", "Church", "Orchard", "River", "Market", "Linden", "Canal", "Garden",
)
# fmt: on
