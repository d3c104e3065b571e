"""Homes, buildings and journeys."""

from colbench_gym.tasks.pages.kind import Kind, offers

TRAVEL_AGENCY = Kind(
    name="travel_agency",
    labels=("Travel Agency", "Travel Agency Website", "Tour Operator", "Travel Company"),
    noun="travel agency",
    brands=("Lodestar", "Slow Compass", "Wayfarer", "Blue Lagoon"),
    offers=offers(
        {
            "City Breaks": "[Three|Four] nights near the [old town|market], breakfast [included|on the roof].",
            "Walking Tours": "From [inn|hut] to [inn|village], your suitcase [travels|goes] ahead.",
            "Island Hopping": "[Ferries|Small boats], [white|quiet] bays and a ticket that [stays open|bends].",
            "Train Journeys": "[Night|Panoramic] trains and connections that somebody has [checked|ridden].",
            "Family Holidays": "[Farms|Beaches] with other children and [short|easy] drives.",
            "Honeymoons": "[Two|Nearly three] weeks in which nobody [knocks|calls].",
            "Winter Sun": "[Warm|Mild] coasts between [November|December] and [March|Easter].",
        }
    ),
    people="travel consultants",
    clients="travelers",
    craft="planning journeys down to the last ferry",
    aims=("see something new", "travel without hurry", "leave the planning to others", "find a quiet beach"),
    qualities=("small groups", "guides born in the region", "free rebooking", "a phone that is answered at night"),
    facts=(
        "Each of us spends [six|eight] weeks a year on the [road|routes] we recommend.",
        "No group has more than [twelve|ten] people, because that is what fits around a [table|fire].",
        "If a ferry is canceled, we [know|call] before you do.",
        "Our catalog covers [forty|thirty-one] countries and [one|two] very slow rivers.",
    ),
    voices=(
        "The hotel above the [harbor|vineyards] was exactly what we had [described|dreamed of].",
        "Even the rainy day had been [planned|thought of].",
        "We have booked our [third|next] trip from the [airport|train home].",
    ),
    actions=("Book Now", "Plan Your Trip", "View Destinations"),
    menu=("Destinations", "Tours", "Offers", "Bookings"),
    sights=("Beach", "Mountain trail", "Old town", "Harbor at dusk"),
    prices=(89, 2900),
)

REAL_ESTATE = Kind(
    name="real_estate",
    labels=("Real Estate Agency", "Real Estate", "Real Estate Company", "Property Listings"),
    noun="real estate agency",
    brands=("Gable", "Threshold", "Red Door", "Keyhole"),
    offers=offers(
        {
            "Houses for Sale": "[Brick|Bright] homes with gardens, [surveyed|measured] before they are shown.",
            "Apartments": "[Two|Three] rooms or five, [near the tram|close to the park].",
            "Rentals": "Leases that [both sides|tenants] understand and keys on the [first|agreed] day.",
            "Valuations": "A realistic price within [three|five] days, in [writing|detail].",
            "Property Management": "[Boilers|Gutters], bills and [neighbors|tenants], all off your desk.",
            "New Developments": "[Timber|Low-energy] buildings, visited while there is still [scaffolding|dust].",
            "Commercial Space": "[Shops|Studios] and offices with [daylight|loading doors].",
        }
    ),
    people="agents",
    clients="buyers",
    craft="matching people with front doors",
    aims=("find a first home", "sell at a fair price", "move closer to school", "invest sensibly"),
    qualities=("honest floor plans", "viewings after work", "one agent from start to finish", "local knowledge"),
    facts=(
        "We list the [damp|drafty] corners as well as the [view|stucco].",
        "On average a house is sold within [five|seven] weeks.",
        "Our agents live in the [streets|quarters] they sell.",
        "Saturday viewings are limited to [four|three] parties at a time.",
    ),
    voices=(
        "They told us [not to buy|about the roof] and found us something better.",
        "The [offer|keys] came two weeks earlier than promised.",
        "No glossy talk, only [plans|numbers] and patience.",
    ),
    actions=("View Properties", "Arrange a Viewing", "Get a Valuation"),
    menu=("Buy", "Sell", "Rent", "Agents"),
    sights=("House with a garden", "Living room", "Apartment building", "Front door"),
    prices=(900, 9800),
)

ARCHITECTS = Kind(
    name="architects",
    labels=("Architecture Firm", "Architecture Studio", "Interior Design Studio"),
    noun="architecture firm",
    brands=("Plumbline", "Atrium", "Section Nine", "Loam & Light"),
    offers=offers(
        {
            "Private Houses": "[Small|Wooden] houses on [difficult|steep] plots, drawn around the [sun|trees].",
            "Renovation": "Old [walls|beams] stay, [pipes|cables] go, and light comes in from [above|the north].",
            "Schools": "[Quiet|Warm] classrooms with a door to the [garden|yard].",
            "Interior Design": "[Lime|Clay] plaster, [oak|cork] and places to [sit|store things].",
            "Feasibility Studies": "What is possible on your [plot|roof], in [four|three] weeks.",
            "Landscape": "[Paths|Walls] and trees that will look [right|grown] in ten years.",
            "Public Spaces": "Squares where people [sit down|stay], even in [March|the wind].",
        }
    ),
    people="architects",
    clients="owners",
    craft="drawing buildings that age well",
    aims=("build once and properly", "bring light into an old house", "stay within budget", "plan a public place"),
    qualities=("models made of card", "local materials", "costs checked monthly", "drawings anyone can read"),
    facts=(
        "Each design is tested as a [model|mock-up] that [fits|stands] on a kitchen table.",
        "We visit the site [every|at least once a] week until the last [door handle|tile].",
        "[Six|Nine] of our buildings are listed, [two|one] of them still unfinished.",
        "The office has [eleven|seven] desks and no [corner office|closed doors].",
    ),
    voices=(
        "The morning light reaches the [stove|stairs], as they [promised|drew it].",
        "They saved the [old staircase|pear tree] that others wanted to remove.",
        "On budget, and [two|three] weeks early.",
    ),
    actions=("View Projects", "Start a Conversation", "Contact the Studio"),
    menu=("Projects", "Studio", "Process", "Awards"),
    sights=("Modern house", "Model", "Staircase", "Facade"),
    prices=(300, 7800),
)

CONSTRUCTION = Kind(
    name="construction",
    labels=("Construction Company", "Building Contractor", "Home Improvement", "Engineering Firm"),
    noun="construction company",
    brands=("Ironbridge", "Keelson", "Level & Square", "Hodman"),
    offers=offers(
        {
            "New Buildings": "From [trench|foundation] to [ridge|roof tile] with our own [crews|cranes].",
            "Extensions": "An extra [room|floor] in [twelve|ten] weeks, with the [kitchen|bath] usable throughout.",
            "Roofing": "[Slate|Tile] and [zinc|copper], tight before the [autumn|rain].",
            "Road Works": "[Short|Night] closures and [clean|flat] joints.",
            "Timber Frames": "Cut in the [hall|yard], raised in [two|three] days.",
            "Insulation": "[Warmer|Quieter] rooms and a smaller bill from the [first|next] winter.",
            "Site Surveys": "Levels, [soil|drains] and neighbors, [noted|measured] before we quote.",
        }
    ),
    people="builders",
    clients="clients",
    craft="building things that stay up",
    aims=("build on time", "renovate without moving out", "know the final price", "plan an extension"),
    qualities=("fixed quotes", "tidy sites", "our own craftsmen", "a ten-year warranty"),
    facts=(
        "We sweep the [site|street] every evening, [even on Fridays|without being asked].",
        "Our crews have finished [four hundred|six hundred and twelve] projects since [1979|1986].",
        "The foreman's mobile number is [painted|printed] on the fence.",
        "Apprentices make up a [fifth|quarter] of the team.",
    ),
    voices=(
        "They finished on the [Thursday|day] they had named in [spring|the contract].",
        "Even the neighbors [complimented|liked] them.",
        "The final bill was the [first quote|one we had signed].",
    ),
    actions=("Get a Free Quote", "See Our Projects", "Call the Office"),
    menu=("Services", "Projects", "Safety", "Careers"),
    sights=("Construction site", "Crane", "Finished building", "Workers"),
    prices=(120, 8800),
)

HOTEL = Kind(
    name="hotel",
    labels=("Hotel", "Boutique Hotel", "Guesthouse", "Hotel Website"),
    noun="hotel",
    brands=("Linden Court", "The Anchor", "Half Moon", "Grand Orchard"),
    offers=offers(
        {
            "Double Rooms": "[Linen|Cotton] sheets, [heavy|wooden] shutters and a kettle.",
            "Family Suites": "[Two|Three] rooms, one [bath|balcony] and a door between.",
            "Breakfast": "Eggs from the [farm|village], bread from [next door|our oven], until [eleven|ten].",
            "Spa": "A [small|quiet] pool under the [roof|vault] and a sauna that [smells of|is built from] cedar.",
            "Meetings": "[Three|Two] rooms with daylight and [good|plenty of] coffee.",
            "Garden Terrace": "[Dinner|Lunch] under [plane trees|wisteria] whenever it is warm.",
            "Bicycle Hire": "[Ten|Twelve] bicycles in the shed, [maps|a picnic] at the desk.",
        }
    ),
    people="hosts",
    clients="guests",
    craft="making strangers feel at home",
    aims=("sleep deeply", "escape for a weekend", "hold a small meeting", "wake up to a view"),
    qualities=("quiet rooms", "late check-out", "a generous breakfast", "staff who remember names"),
    facts=(
        "The house has [twenty-two|seventeen] rooms, and no two are [alike|the same].",
        "Dogs are [welcome|given a blanket] and children get the [attic|bunk beds].",
        "It was built in [1898|1904] for [railway engineers|a hat maker].",
        "The last train stops [three|five] minutes from our door.",
    ),
    voices=(
        "We came for [one night|a meeting] and stayed for three.",
        "The bed, the [silence|rain on the roof] and the jam.",
        "At checkout they gave us [sandwiches|apples] for the road.",
    ),
    actions=("Book a Room", "Check Availability", "View Rooms"),
    menu=("Rooms", "Dining", "Spa", "Location"),
    sights=("Hotel room", "Breakfast table", "Hotel facade", "Garden"),
    prices=(75, 420),
)

GARAGE = Kind(
    name="garage",
    labels=("Auto Repair Shop", "Car Dealership", "Automotive Parts Store", "Car Rental"),
    noun="auto repair shop",
    brands=("Torque", "Piston Lane", "Highgear", "Roadworthy"),
    offers=offers(
        {
            "Oil Changes": "[Thirty|Forty] minutes, with the old [filter|oil] shown to you.",
            "Tire Service": "[Mounted|Balanced], stored and [numbered|labeled] until next season.",
            "Brakes": "[Pads|Discs] measured to the [tenth|hair] and [replaced|changed] in pairs.",
            "Inspections": "[Pre-checked|Prepared], so that you pass [first time|without a second visit].",
            "Used Cars": "[One-owner|Local] cars with a [full|readable] history.",
            "Spare Parts": "[Original|Tested] parts, on the shelf or here by [noon|tomorrow].",
            "Electric Vehicles": "[Batteries|Software] checked by people with the [training|right gloves].",
        }
    ),
    people="mechanics",
    clients="drivers",
    craft="keeping cars on the road for longer",
    aims=("avoid a breakdown", "pass the inspection", "buy a reliable car", "understand the bill"),
    qualities=("written quotes", "a loan car", "a two-year guarantee", "photos of every worn part"),
    facts=(
        "We phone before anything costs [more|ten dollars more] than agreed.",
        "The lifts are busy from [seven|half past six], so cars are [ready|back] by [five|four].",
        "Customers may [watch|stand] beside the lift and [ask|point].",
        "The oldest car we look after was built in [1956|1961].",
    ),
    voices=(
        "They tightened one [screw|clamp] and charged me [nothing|a smile].",
        "The noise that three others [could not hear|missed] is gone.",
        "My car was [washed|vacuumed] as well.",
    ),
    actions=("Book a Service", "Get a Quote", "Browse Cars"),
    menu=("Services", "Parts", "Used Cars", "Appointments"),
    sights=("Car on a lift", "Engine", "Workshop", "Row of cars"),
    prices=(29, 1900),
)
