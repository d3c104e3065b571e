"""Shops and makers of things."""

from colbench_gym.tasks.pages.kind import Kind, offers

BICYCLE_SHOP = Kind(
    name="bicycle_shop",
    labels=("Bicycle Shop", "Bike Workshop", "Cycling Store"),
    noun="bicycle shop",
    brands=("Spoke", "Freewheel", "Saddle", "Chainline"),
    offers=offers(
        {
            "City Bikes": "[Upright|Comfortable|Sturdy] frames with lights and racks already fitted.",
            "Repairs": "We fix brakes, gears and punctures while you [wait|have a coffee].",
            "Bike Fitting": "An hour on the stand [sets|finds] the saddle height that suits your knees.",
            "Rentals": "Take a [bike|tandem] for a day or [a weekend|the whole week], helmet included.",
            "Cargo Bikes": "[Room|Space] for two children, a dog or [the weekly shop|a week of groceries].",
            "Accessories": "Locks, panniers and lamps that [we use ourselves|last for years].",
            "Winter Service": "A full clean and [fresh cables|new grease] before the [salt|frost] gets on the roads.",
        }
    ),
    people="mechanics",
    clients="riders",
    craft="keeping bicycles on the road",
    aims=("ride further", "leave the car at home", "enjoy every hill", "get to work on time"),
    qualities=("honest quotes", "tidy work", "spare parts in stock", "same-day repairs"),
    facts=(
        "Every bike is test ridden around the block before it leaves [the workshop|our door].",
        "Our rental fleet has grown to [thirty|forty|sixty] bicycles of all sizes.",
        "On the first [Sunday|Saturday] of each month we lead a slow ride along the [river|canal|coast].",
        "We keep old frames alive with parts that other shops [have stopped ordering|no longer stock].",
    ),
    voices=(
        "My ten-year-old commuter [rides|shifts] like new again.",
        "They [explained|showed me] what was worn and what could wait.",
        "I came in for a tyre and left with a better [saddle height|riding position].",
    ),
    actions=("Book a Repair", "See the Bikes", "Reserve a Bike"),
    menu=("Bikes", "Repairs", "Rentals", "Parts"),
    sights=("Bicycle", "Workshop bench", "Riders on a bridge", "Row of bikes"),
    prices=(15, 900),
)

BOOKSHOP = Kind(
    name="bookshop",
    labels=("Bookshop", "Online Bookstore", "Bookstore", "Second-hand Bookshop"),
    noun="bookshop",
    brands=("Marginalia", "Paperbark", "Chapter", "Inkwell"),
    offers=offers(
        {
            "New Fiction": "The [season's|month's] novels, chosen by people who finish what they start.",
            "Rare Editions": "[Signed|First] printings from a [glass case|quiet back room], shown on request.",
            "Children's Corner": "Picture books at [knee height|a child's reach] and a rug to read them on.",
            "Gift Wrapping": "Brown paper, [red|green] ribbon and a note in [our best|careful] handwriting.",
            "Reading Group": "We meet [once a month|every other week] around one book and two pots of tea.",
            "Special Orders": "Titles not on the shelf [arrive|are here] within [two days|the week].",
            "Poetry": "Slim volumes from [small presses|living poets], faced out and often read aloud.",
        }
    ),
    people="booksellers",
    clients="readers",
    craft="finding the next good read",
    aims=("discover a new author", "slow down for an afternoon", "find a gift that is kept", "read more widely"),
    qualities=("careful recommendations", "deep shelves", "fair second-hand prices", "quiet corners"),
    facts=(
        "Our shelves hold [eight|eleven|fourteen] thousand titles and one very old [cat|armchair].",
        "We buy libraries of any size and [pay on the day|collect them ourselves].",
        "Every card on the shelf was written by somebody who [read|loved] the book.",
        "Authors [read|sign] here on most [Thursday|Friday] evenings.",
    ),
    voices=(
        "I asked for something like my favorite novel and they [were right twice|found two].",
        "The only shop where I [forget the time|leave my phone in my pocket].",
        "They tracked down a book my [grandmother|father] used to read to me.",
    ),
    actions=("Browse the Shelves", "Order a Book", "Join the Reading Group"),
    menu=("New Books", "Second-hand", "Events", "Gifts"),
    sights=("Bookshelves", "Stack of novels", "Reading chair", "Shop window"),
    prices=(6, 48),
)

FURNITURE_MAKER = Kind(
    name="furniture_maker",
    labels=("Furniture Maker", "Furniture Store", "Woodworking Studio"),
    noun="furniture workshop",
    brands=("Dovetail", "Heartwood", "Trestle", "Ashgrove"),
    offers=offers(
        {
            "Dining Tables": "Solid [oak|ash|walnut] tops that seat [six|eight] and [outlast|survive] many dinners.",
            "Chairs": "Steam-bent backs and [woven|leather] seats, [made in pairs|sold one at a time].",
            "Shelving": "Built to the [inch|millimeter] around your [doors and windows|sloping walls].",
            "Restoration": "We [strip|mend] and repolish pieces that [somebody loved|deserve another century].",
            "Beds": "Frames without a single [squeak|screw], [joined|pegged] by hand.",
            "Desks": "A [wide|calm] surface with one drawer for [everything else|the clutter].",
            "Timber Samples": "Order [three|five] offcuts and see the grain in your own light.",
        }
    ),
    people="joiners",
    clients="homeowners",
    craft="making furniture from local timber",
    aims=("furnish a home once", "fit an awkward corner", "keep an heirloom in use", "sit comfortably"),
    qualities=("native hardwoods", "joints that never loosen", "a lifetime guarantee", "drawings before sawdust"),
    facts=(
        "Each piece is signed underneath by the [joiner|maker] who finished it.",
        "Our boards dry for [two|three] years before the first cut.",
        "You are welcome to visit the workshop and [watch your table take shape|smell the shavings].",
        "Offcuts heat the building in winter, so [little|nothing] is wasted.",
    ),
    voices=(
        "The table arrived a week early and fits to the [millimeter|hair].",
        "Our [children|guests] fight over who gets the window seat they built.",
        "It looks as if it had always [stood|been] here.",
    ),
    actions=("Request a Drawing", "Visit the Showroom", "Order Samples"),
    menu=("Tables", "Chairs", "Commissions", "Showroom"),
    sights=("Oak table", "Workshop", "Hand plane", "Finished chair"),
    prices=(80, 2400),
)

FLORIST = Kind(
    name="florist",
    labels=("Florist", "Flower Shop", "Floral Design Studio"),
    noun="flower shop",
    brands=("Peony", "Meadowsweet", "Foxglove", "Larkspur"),
    offers=offers(
        {
            "Hand Tied Bouquets": "[Seasonal|Locally grown] stems wrapped in [paper|linen] and ready within the hour.",
            "Weddings": "From the first sketch to the last [buttonhole|petal], one [florist|person] looks after you.",
            "Weekly Flowers": "A fresh vase for your [office|restaurant|hallway] every [Monday|Tuesday] morning.",
            "Potted Plants": "[Hardy|Easy] green company for [dark corners|forgetful owners].",
            "Workshops": "Learn to build a [wreath|table arrangement] in a [relaxed|small] evening class.",
            "Sympathy": "Quiet arrangements, [made|delivered] with care and on time.",
            "Dried Flowers": "Colours that [keep|hold] until next [spring|summer].",
        }
    ),
    people="florists",
    clients="customers",
    craft="arranging flowers that look freshly picked",
    aims=("say thank you", "brighten a room", "remember an anniversary", "surprise somebody"),
    qualities=(
        "stems cut the same morning",
        "delivery by bicycle",
        "no plastic wrapping",
        "a seven-day freshness promise",
    ),
    facts=(
        "Most of what we sell grows within [twenty|thirty] miles of the [shop|counter].",
        "We close early when the buckets are [empty|sold out], usually on a [Saturday|Friday].",
        "Our van leaves at [eight|nine] and again at [two|three].",
        "Leftover flowers go to the [hospice|care home] around the corner.",
    ),
    voices=(
        "The bouquet still looked [lovely|fresh] after ten days.",
        "They understood our wedding from [one photograph|a single colour].",
        "I order by phone and trust them with [everything|the rest].",
    ),
    actions=("Order Flowers", "Plan a Wedding", "Send a Bouquet"),
    menu=("Bouquets", "Weddings", "Plants", "Workshops"),
    sights=("Bouquet", "Flower buckets", "Table arrangement", "Greenhouse"),
    prices=(18, 140),
)

TOY_STORE = Kind(
    name="toy_store",
    labels=("Toy Store", "Wooden Toys Shop", "Online Toy Shop"),
    noun="toy store",
    brands=("Marble", "Pinwheel", "Yo-Yo", "Tumble"),
    offers=offers(
        {
            "Building Blocks": "Smooth [beech|maple] bricks in [six|nine] shapes that always fit together.",
            "Puzzles": "From [four|twelve] pieces for small hands to [a thousand|five hundred] for rainy weekends.",
            "Board Games": "Games that are explained in [five|three] minutes and [played for years|asked for again].",
            "Soft Animals": "[Washable|Huggable] companions with [stitched|sewn-on] eyes.",
            "Craft Kits": "Everything in one box, even the [glue|scissors].",
            "Outdoor Play": "Kites, [hoops|skipping ropes] and balls for the first warm [day|afternoon].",
            "Party Bags": "Filled, [named|labelled] and ready to [collect|hand out].",
        }
    ),
    people="shopkeepers",
    clients="families",
    craft="choosing toys that survive real children",
    aims=("find the right present", "play without a screen", "keep small hands busy", "laugh together"),
    qualities=("tested materials", "toys without batteries", "a tidy returns rule", "advice by age"),
    facts=(
        "Every toy has passed the [hands|judgement] of our own children first.",
        "There is a train table in the middle of the shop and [nobody minds|no hurry to leave it].",
        "We repair wooden toys [free of charge|for the price of the glue].",
        "Grandparents get a [printed|short] list of what is already at home.",
    ),
    voices=(
        "The blocks are three years old and still [come out|are built up] every evening.",
        "They picked a game for [four ages at once|cousins of all ages], and it worked.",
        "Fast delivery and a [handwritten|kind] birthday note inside.",
    ),
    actions=("Shop by Age", "Find a Present", "Order Now"),
    menu=("Toys", "Games", "By Age", "Gift Cards"),
    sights=("Wooden train", "Shelf of games", "Child playing", "Teddy bear"),
    prices=(7, 95),
)

JEWELLER = Kind(
    name="jeweller",
    labels=("Jewelry Store", "Goldsmith Studio", "Handmade Jewelry Shop"),
    noun="jewelry studio",
    brands=("Opal", "Filigree", "Garnet", "Solitaire"),
    offers=offers(
        {
            "Wedding Rings": "A pair [forged|cast] from one bar of [gold|silver], fitted on your own hands.",
            "Earrings": "Small [hoops|drops] and studs for [every day|people with busy mornings].",
            "Remodelling": "We turn a [grandmother's brooch|forgotten chain] into something you [wear|reach for].",
            "Engraving": "Dates, [initials|coordinates] or a line of handwriting, cut by [hand|laser].",
            "Necklaces": "Fine chains with [one stone|a single pearl] and no fuss.",
            "Valuations": "A written [report|estimate] for your insurer within [a week|three days].",
            "Repairs": "Clasps, [prongs|settings] and knots, usually while you [shop next door|have lunch].",
        }
    ),
    people="goldsmiths",
    clients="customers",
    craft="turning recycled gold into new pieces",
    aims=("mark an occasion", "wear something unique", "pass on a family stone", "choose a ring together"),
    qualities=("recycled metals", "traceable stones", "a sketch before any work", "free resizing"),
    facts=(
        "All pieces are made at the [two|three] benches behind the counter.",
        "We publish where each stone [comes from|was mined].",
        "A ring takes [four|six] weeks from [drawing|wax model] to finger.",
        "Old gold is weighed in front of you and [credited|paid for] at the day's rate.",
    ),
    voices=(
        "They made us feel that our [small budget|odd idea] was a good one.",
        "My mother's stone has a second life [on my hand|every day].",
        "The engraving is so fine that [I need a lens|everybody asks about it].",
    ),
    actions=("View the Collection", "Book a Fitting", "Design Your Ring"),
    menu=("Collection", "Rings", "Bespoke", "Repairs"),
    sights=("Gold ring", "Goldsmith at work", "Necklace", "Display case"),
    prices=(45, 3200),
)
