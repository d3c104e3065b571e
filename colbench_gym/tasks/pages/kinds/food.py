"""Places that feed people."""

from colbench_gym.tasks.pages.kind import Kind, offers

BAKERY = Kind(
    name="bakery",
    labels=("Bakery", "Artisan Bakery", "Bread and Cake Shop"),
    noun="bakery",
    brands=("Crumb", "Rye & Salt", "Morning Loaf", "Brioche"),
    offers=offers(
        {
            "Sourdough": "A [dark|thick] crust, an open crumb and [thirty|twenty-four] hours of patience.",
            "Celebration Cakes": "Layers of [sponge|almond cake] and [fruit|cream] for tables of [eight|twenty].",
            "Breakfast Rolls": "[Warm|Soft] from the oven at [six|half past six], every day but [Monday|Tuesday].",
            "Pastries": "Butter, [folded|layered] by hand, and [little else|a pinch of salt].",
            "Rye Bread": "Dense, [dark|malty] slices that [stay fresh|keep] for a week.",
            "Gluten Free": "Baked in a [separate|second] oven and [truly|just as] good.",
            "Baking Class": "Bring an apron, [leave with|take home] two loaves and [your own|a jar of] starter.",
        }
    ),
    people="bakers",
    clients="neighbors",
    craft="baking bread the slow way",
    aims=("start the day well", "order a birthday cake", "taste real butter", "bring something home"),
    qualities=("stone-milled flour", "long fermentation", "no improvers", "an early opening hour"),
    facts=(
        "The ovens are lit at [three|two] in the morning, so the first loaves are out by [six|five].",
        "Our starter is [eleven|nineteen|twenty-two] years old and has [a name|its own shelf].",
        "What is left at closing time goes to the [food bank|night shelter].",
        "We buy grain from [four|three] farms that we can [cycle|walk] to.",
    ),
    voices=(
        "I plan my [Saturday|commute] around their cinnamon buns.",
        "The cake tasted even better than it [looked|photographed].",
        "Real bread, and they [know|remember] my order.",
    ),
    actions=("Order a Cake", "See Today's Bread", "Pre-order"),
    menu=("Bread", "Cakes", "Classes", "Find Us"),
    sights=("Sourdough loaf", "Bakery counter", "Cake", "Baker at work"),
    prices=(2, 60),
)

RESTAURANT = Kind(
    name="restaurant",
    labels=("Restaurant", "Restaurant Website", "Neighborhood Bistro", "Italian Restaurant"),
    noun="restaurant",
    brands=("Copper Pot", "Olive Branch", "Table Nine", "Saffron"),
    offers=offers(
        {
            "Lunch": "[Two|Three] courses on one page, [changed|written anew] every [week|morning].",
            "Dinner": "[Slow|Wood-fired] cooking, [shared|small] plates and a [long|short] list of wines.",
            "Sunday Roast": "A whole [joint|bird] for the table with [all the trimmings|too many potatoes].",
            "Private Dining": "A [quiet|panelled] room upstairs for up to [sixteen|twenty] guests.",
            "Takeaway": "The same food in a [box|tin], ready in [twenty|thirty] minutes.",
            "Vegetarian Menu": "[Five|Six] courses in which nobody misses [anything|the meat].",
            "Desserts": "Something [baked|frozen], something with [chocolate|fruit], and cheese.",
        }
    ),
    people="cooks",
    clients="guests",
    craft="cooking what the market has that morning",
    aims=("celebrate with friends", "eat well without ceremony", "taste the season", "stay a little longer"),
    qualities=("produce from nearby farms", "a short menu", "friendly service", "a garden for summer evenings"),
    facts=(
        "The menu fits on a single page and changes with the [market|weather].",
        "Our kitchen is open to the room, so you can [watch|smell] your dinner being made.",
        "Half of the tables are kept for people who simply [walk in|turn up].",
        "Bread, [butter|pasta] and ice cream are all made here.",
    ),
    voices=(
        "The [lamb|mushroom pie] alone is worth the [trip|drive].",
        "Our children were [welcome|spoiled] and the grown-ups ate [brilliantly|in peace].",
        "We stayed [three hours|until closing] and nobody hurried us.",
    ),
    actions=("Reserve a Table", "View the Menu", "Order Online"),
    menu=("Menu", "Reservations", "Private Events", "Location"),
    sights=("Plated dish", "Dining room", "Chef", "Table by the window"),
    prices=(8, 42),
)

COFFEE_ROASTER = Kind(
    name="coffee_roaster",
    labels=("Coffee Roaster", "Coffee Shop", "Specialty Coffee Company"),
    noun="coffee roastery",
    brands=("First Crack", "Ember", "Kettle", "Slow Drip"),
    offers=offers(
        {
            "House Espresso": "[Chocolate|Hazelnut], a little [cherry|caramel] and a [long|clean] finish.",
            "Filter Roasts": "[Light|Bright] coffees from [single farms|one valley], roasted on [Mondays|Wednesdays].",
            "Subscriptions": "A fresh bag at your door every [week|fortnight], [paused|changed] whenever you like.",
            "Brewing Class": "Dial in your [grinder|machine] with a barista in [ninety minutes|one afternoon].",
            "Wholesale": "Beans, [training|machines] and service for [cafes|offices] that care.",
            "Decaf": "Gentle on sleep, [full|rich] in the cup.",
            "Equipment": "Grinders, [kettles|scales] and filters that we [use|test] every day.",
        }
    ),
    people="roasters",
    clients="coffee drinkers",
    craft="roasting small batches by ear and nose",
    aims=("brew better at home", "wake up gently", "taste where coffee grows", "run a better bar"),
    qualities=("a roast date on each bag", "prices paid to farmers in print", "free grinding", "compostable bags"),
    facts=(
        "We roast [twice|three times] a week and post on the same [day|afternoon].",
        "[Four|Six] growers have sold to us since our first [sack|season].",
        "The old roaster in the window dates from [1962|1958] and still [runs|sings].",
        "A cupping is held on [Friday|Saturday] mornings, free and [without jargon|open to all].",
    ),
    voices=(
        "My kitchen finally smells like [a cafe|holidays].",
        "The subscription has never been [late|dull].",
        "They sold me a cheaper grinder than I [asked for|had in mind], and it is perfect.",
    ),
    actions=("Shop Coffee", "Start a Subscription", "Book a Tasting"),
    menu=("Coffee", "Subscriptions", "Classes", "Wholesale"),
    sights=("Coffee beans", "Espresso", "Roasting drum", "Cafe counter"),
    prices=(9, 54),
)

MEAL_DELIVERY = Kind(
    name="meal_delivery",
    labels=("Food Delivery Service", "Meal Delivery", "Online Food Delivery", "Catering Company"),
    noun="food delivery service",
    brands=("Lunchbox", "Hot Plate", "Forkful", "Doorstep Kitchen"),
    offers=offers(
        {
            "Family Dinners": "[Four|Five] portions, one [tray|dish], [twenty|fifteen] minutes in the oven.",
            "Office Lunch": "[Salads|Bowls] for the whole [floor|team], labelled by name.",
            "Healthy Bowls": "[Grains|Beans], greens and a dressing you will want to [drink|keep].",
            "Breakfast Boxes": "Fruit, [granola|pancakes] and juice before [eight|your first meeting].",
            "Kids Menu": "Vegetables in [friendly|clever] disguise.",
            "Party Platters": "Finger food for [ten to eighty|small and large] crowds, plates [included|collected].",
            "Soups": "[Two|Three] kinds a day, [thick|spicy] enough to count as [lunch|dinner].",
        }
    ),
    people="chefs",
    clients="households",
    craft="cooking dinners that arrive hot",
    aims=("eat well on busy days", "skip the washing-up", "feed a crowd", "try something new"),
    qualities=("returnable boxes", "riders with fixed pay", "clear allergen labels", "delivery in half an hour"),
    facts=(
        "Orders placed before [noon|eleven] are cooked and delivered the same [evening|day].",
        "Our kitchen prints every ingredient on the [lid|label].",
        "You can [skip|move] a delivery until the night before.",
        "The menu changes each [Thursday|Monday] and has [eight|ten] dishes.",
    ),
    voices=(
        "Dinner is no longer [an argument|a question] in our house.",
        "Still hot, on time and [nothing spilled|exactly what we ordered].",
        "The [curry|lasagne] tastes like somebody's home.",
    ),
    actions=("Order Now", "See the Menu", "Get Started"),
    menu=("Menu", "How It Works", "Offers", "Order"),
    sights=("Salad bowl", "Delivery rider", "Family dinner", "Lunch boxes"),
    prices=(7, 68),
)
