"""Held out: businesses that only the `test_ood` split has."""

from colbench_gym.tasks.pages.kind import Kind, offers

SAILING_SCHOOL = Kind(
    name="sailing_school",
    labels=("Sailing School", "Yacht Club", "Sailing Academy"),
    noun="sailing school",
    brands=("Spinnaker", "Halyard", "Leeward", "Tiller"),
    offers=offers(
        {
            "Beginners Week": "[Five|Six] mornings from the first knot to a [solo|proper] tack.",
            "Dinghy Racing": "[Short|Windward] courses on [Wednesday|Thursday] evenings, [loud|friendly] and fast.",
            "Skipper License": "Theory in winter, [examination|test] on the water in [May|June].",
            "Boat Hire": "Small keelboats by the [hour|half-day] for people who [hold a license|know the ropes].",
            "Children's Camp": "[Capsizing|Swimming] first, then sailing, and [ice cream|soup] afterwards.",
            "Night Sailing": "[Stars|Lights], a thermos and the [harbor|beacons] seen from outside.",
        }
    ),
    people="instructors",
    clients="sailors",
    craft="teaching people to read the wind",
    aims=("leave the harbor alone", "pass the examination", "learn to trim a sail", "spend a week on the water"),
    qualities=("small crews", "boats in good order", "patient teaching", "life jackets in all sizes"),
    facts=(
        "No boat leaves the jetty with more than [four|three] pupils.",
        "When the wind drops we [row|swim] and talk about [knots|clouds].",
        "Our fleet counts [fourteen|eleven] dinghies and one [stubborn|old] cutter.",
        "The clubhouse was once a [customs shed|boat shed] and still smells of [rope|tar].",
    ),
    voices=(
        "I was [terrified|seasick] on Monday and steering on Friday.",
        "Our daughter speaks of nothing but [tacking|the cutter].",
        "Clear commands, [dry|kind] humor and [wet|happy] feet.",
    ),
    actions=("Join a Course", "Hire a Boat", "Check the Tide"),
    menu=("Courses", "Fleet", "Harbor", "Membership"),
    sights=("Dinghy under sail", "Harbor", "Instructor", "Knots"),
    prices=(40, 690),
    held_out=True,
)

OBSERVATORY = Kind(
    name="observatory",
    labels=("Public Observatory", "Planetarium", "Astronomy Center"),
    noun="public observatory",
    brands=("Perihelion", "Vega", "Dome Hill", "Zenith"),
    offers=offers(
        {
            "Star Parties": "[Blankets|Deck chairs], [red|dim] lamps and [six|four] telescopes on the lawn.",
            "Dome Shows": "[Forty|Fifty] minutes under a sky that [turns|obeys the presenter].",
            "School Visits": "A [morning|lesson] with a [comet|meteorite] that may be touched.",
            "Telescope Rental": "A [starter|travel] instrument for [one week|the dark days of the month].",
            "Lectures": "Astronomers who [explain|draw] before they [calculate|project slides].",
            "Solar Mornings": "Sunspots through [safe|special] glass, coffee in the [shade|foyer].",
        }
    ),
    people="astronomers",
    clients="visitors",
    craft="showing the night sky to anyone who looks up",
    aims=("see the rings of Saturn", "understand an eclipse", "find the Milky Way", "stay up late"),
    qualities=("a dark hilltop", "clear explanations", "instruments for small hands", "free entry on new-moon nights"),
    facts=(
        "The main telescope dates from [1911|1926] and is moved by a [crank|rope].",
        "If clouds come, the [dome show|lecture] starts instead and your ticket [stays valid|counts twice].",
        "The nearest street lamp is [three|four] kilometers away.",
        "Our oldest member has logged [nine|six] thousand [variable stars|nights].",
    ),
    voices=(
        "I saw Saturn and said something [unprintable|very loud].",
        "My class was silent for [twenty|thirty] minutes, a record.",
        "The warmest welcome on the [coldest|windiest] hill.",
    ),
    actions=("Plan a Visit", "See Tonight's Sky", "Buy Tickets"),
    menu=("Tonight", "Shows", "Schools", "Telescopes"),
    sights=("Dome at dusk", "Telescope", "Night sky", "Visitors in line"),
    prices=(6, 120),
    held_out=True,
)

VINEYARD = Kind(
    name="vineyard",
    labels=("Vineyard", "Winery", "Wine Estate"),
    noun="wine estate",
    brands=("Terrace", "Old Cask", "Southern Slope", "Stone Press"),
    offers=offers(
        {
            "White Wines": "[Crisp|Mineral] and [dry|bright], from the [upper|chalky] slope.",
            "Red Wines": "[Two|Three] years in old oak and [as long|another year] in bottle.",
            "Tastings": "[Five|Six] glasses, bread and the [cellar|barrel] stories.",
            "Harvest Days": "[Cut|Pick] with us in [September|October] and stay for the [soup|long table].",
            "Cellar Tours": "[Cool|Low] vaults from [1780|1843], by candle.",
            "Guest Rooms": "[Four|Five] rooms above the press house, with [vines|swallows] at the window.",
        }
    ),
    people="winemakers",
    clients="guests",
    craft="growing grapes on steep ground",
    aims=("taste before buying", "walk among the vines", "fill a cellar", "spend a night in the hills"),
    qualities=("hand picking", "native yeasts", "bottles with honest labels", "a view over the valley"),
    facts=(
        "The estate covers [nine|twelve] hectares, all of them too [steep|stony] for machines.",
        "Sheep keep the grass down between [November|autumn] and [March|spring].",
        "We bottle [thirty|forty] thousand a year and [drink|keep] a few ourselves.",
        "Frost took the harvest of [1991|1981], and we still speak of it.",
    ),
    voices=(
        "We came for one case and [left with three|missed our train].",
        "The driest humor and the [driest|finest] whites in the valley.",
        "Breakfast under the [pergola|walnut tree] is reason enough.",
    ),
    actions=("Book a Tasting", "Order a Case", "Stay the Night"),
    menu=("Wines", "Cellar", "Visits", "Rooms"),
    sights=("Rows of vines", "Barrels", "Harvest", "Glass of red"),
    prices=(9, 140),
    held_out=True,
)

CIRCUS = Kind(
    name="circus",
    labels=("Circus", "Traveling Circus", "Circus School"),
    noun="traveling circus",
    brands=("Sawdust", "Trapeze", "Ringmaster", "Lion and Moon"),
    offers=offers(
        {
            "Evening Show": "[Two|Nearly two] hours of [tumbling|flying] people and [live|brass] music.",
            "Matinee": "The [short|gentle] program for audiences under [eight|ten].",
            "Juggling Class": "From scarves to [clubs|five balls], at your own [speed|risk].",
            "Trapeze Lessons": "A net, a [belt|harness] and a very calm [catcher|teacher].",
            "Private Parties": "The tent, the [band|popcorn] and as many [clowns|acts] as you dare.",
            "Winter Quarters": "See rehearsals from [November|December] behind the [canal|station].",
        }
    ),
    people="artists",
    clients="audiences",
    craft="putting up a tent and filling it with wonder",
    aims=("gasp and cheer", "laugh out loud", "learn to juggle", "run away for an evening"),
    qualities=("acts without animals", "a real band", "cheap seats with a good view", "popcorn made in a copper pan"),
    facts=(
        "The tent goes up in [five|six] hours and holds [four hundred|six hundred].",
        "Everybody who performs also [sells tickets|sweeps the ring].",
        "Our family has been on the road for [six|five] generations.",
        "We travel in [eleven|nine] wagons and one [unreliable|yellow] bus.",
    ),
    voices=(
        "My father laughed until he [cried|lost his glasses].",
        "I looked away [twice|at the worst moment] and regret it.",
        "The [knife thrower|clown] served our coffee, very politely.",
    ),
    actions=("Get Tickets", "See Tour Dates", "Try the Trapeze"),
    menu=("Show", "Tour", "Classes", "Tickets"),
    sights=("Tent at night", "Acrobats", "Clown", "Circus wagon"),
    prices=(8, 75),
    held_out=True,
)

BEEKEEPER = Kind(
    name="beekeeper",
    labels=("Beekeeper", "Honey Farm", "Apiary"),
    noun="honey farm",
    brands=("Hexagon", "Linden Hive", "Drone & Queen", "Smoker"),
    offers=offers(
        {
            "Spring Honey": "[Pale|Creamy], from [rape and cherry|dandelion], [spun|cold-stirred] in May.",
            "Forest Honey": "[Dark|Resinous], only in years when the [spruces|aphids] allow it.",
            "Candles": "[Rolled|Poured] wax that [smells|burns] of summer for [nine|eleven] hours.",
            "Hive Sponsorship": "A [colony|queen] with your name and [four|six] jars each autumn.",
            "Beekeeping Course": "[Twelve|Ten] Saturdays from [February|March], [veil|gloves] provided.",
            "Swarm Collection": "Call us before you call the [fire brigade|exterminator].",
        }
    ),
    people="beekeepers",
    clients="visitors",
    craft="looking after forty colonies and their meadows",
    aims=("taste the meadow", "keep a first hive", "give something golden", "help the pollinators"),
    qualities=("unheated honey", "returnable jars", "treatment by hand", "hives on wheels"),
    facts=(
        "The bees fly up to [three|two] kilometers and know the [way|hedges] better than we do.",
        "One jar stands for [forty|sixty] thousand flights.",
        "In [January|winter] there is nothing to do but [listen|wait] at the hives.",
        "Our wagon with [twelve|sixteen] colonies follows the blossom [north|uphill].",
    ),
    voices=(
        "My tea has become [interesting|an event].",
        "The course ended with [two|three] stings and [a swarm|my own hive].",
        "Each jar tastes [different|of another month], as it should.",
    ),
    actions=("Order Honey", "Sponsor a Hive", "Book a Tour"),
    menu=("Honey", "Hives", "Courses", "Farm Shop"),
    sights=("Bee on a blossom", "Hives", "Jar of honey", "Beekeeper"),
    prices=(6, 110),
    held_out=True,
)

PUPPET_THEATER = Kind(
    name="puppet_theater",
    labels=("Puppet Theater", "Children's Theater", "Marionette Stage"),
    noun="puppet theater",
    brands=("Seven Strings", "Limewood", "Punchline", "Little Proscenium"),
    offers=offers(
        {
            "Evening Plays": "[Tragedies|Classics] at a scale of [one to four|one to six].",
            "Morning Shows": "[Thirty|Forty] minutes for [kindergartens|small children], wolf [optional|included].",
            "Puppet Repair": "[Joints|Noses] and strings, [carved|renewed] in limewood.",
            "Carving Courses": "A [head|hand] in [one weekend|four evenings], [plasters|coffee] included.",
            "Shadow Plays": "[Paper|Leather], a lamp and a [bed sheet|white wall].",
            "Touring Stage": "A theater that [fits|folds] into a [van|trunk] and stands in [an hour|forty minutes].",
        }
    ),
    people="puppeteers",
    clients="audiences",
    craft="lending voices to pieces of wood",
    aims=("forget the strings", "take the children out", "carve a first puppet", "laugh at a king"),
    qualities=("live music", "seats for every height", "puppets made in-house", "free tickets for teachers"),
    facts=(
        "The ensemble counts [two hundred|one hundred and forty] puppets and [five|four] people.",
        "Our oldest puppet was carved in [1883|1907] and [still plays|refuses to retire].",
        "The hall has [eighty-eight|seventy] seats and a [balcony|moon] of its own.",
        "When a string breaks, the [devil|dog] explains it to the audience.",
    ),
    voices=(
        "My daughter [warned|scolded] the wolf and he [apologized|listened].",
        "I saw [Faust|a storm] on two square meters and believed all of it.",
        "The hands are visible and [nobody|not one of us] sees them.",
    ),
    actions=("Reserve Seats", "See the Program", "Invite the Theater"),
    menu=("Program", "Puppets", "Workshops", "Tickets"),
    sights=("Marionette", "Stage", "Carver at work", "Children watching"),
    prices=(5, 65),
    held_out=True,
)
