"""Learning, arts and news."""

from colbench_gym.tasks.pages.kind import Kind, offers

UNIVERSITY = Kind(
    name="university",
    labels=("Educational Institution", "Education Institute", "University Website", "College"),
    noun="college",
    brands=("Brannock", "Aldermoor", "Thornbury", "Linwood"),
    offers=offers(
        {
            "Engineering": "[Bridges|Circuits] from the first [term|week], mathematics alongside.",
            "Humanities": "[Old|Difficult] texts, [small|lively] seminars and a library that closes late.",
            "Natural Sciences": "[Fieldwork|Laboratories] twice a week and [safety goggles|boots] for everyone.",
            "Business": "[Case studies|Ledgers] from companies you can [visit|see from the window].",
            "Evening Degrees": "[Two|Three] nights a week for people who [work|have families].",
            "Scholarships": "[One|Every] fifth student pays [half|no fees].",
            "Student Housing": "[Rooms|Kitchens] shared by [six|eight], [ten|five] minutes from the lecture halls.",
        }
    ),
    people="lecturers",
    clients="students",
    craft="teaching people to think for themselves",
    aims=("earn a degree", "change careers", "do research early", "study close to home"),
    qualities=("small seminars", "personal tutors", "a green campus", "partners in forty countries"),
    facts=(
        "There are [fourteen|seventeen] students to a [lecturer|seminar], and every one is known by name.",
        "The campus lies between the [river|park] and the [old brewery|railway].",
        "[Nine|Eight] of ten graduates find work within [six|four] months.",
        "Open days are held in [March and October|spring and autumn].",
    ),
    voices=(
        "My tutor read every [draft|page], even the [bad|early] ones.",
        "I arrived to study law and [left|graduated] as a geologist.",
        "The library at [midnight|dawn] is my favorite place.",
    ),
    actions=("Apply Now", "Schedule a Visit", "Find a Course"),
    menu=("Programs", "Admissions", "Campus Life", "Research"),
    sights=("Campus", "Students", "Lecture hall", "Library"),
    prices=(120, 4200),
)

ONLINE_COURSES = Kind(
    name="online_courses",
    labels=("Online Learning Platform", "E-Learning Platform", "Online Education", "Language School"),
    noun="learning platform",
    brands=("Chalkboard", "Lessonlight", "Open Notebook", "Fluent Street"),
    offers=offers(
        {
            "Languages": "[Fifteen|Twenty] minutes a day and a [live|real] conversation on [Fridays|Sundays].",
            "Programming": "Write [code|small programs] from the [first|second] lesson, in your [browser|own editor].",
            "Photography Basics": "[Light|Framing] and patience, [explained|shown] with any camera.",
            "Bookkeeping": "[Double|Tidy] entries for [clubs|freelancers] and small firms.",
            "Music Theory": "[Hear|Hum] it first, name it [later|afterwards].",
            "Study Groups": "[Six|Five] learners, one [tutor|goal], every week.",
            "Certificates": "An examination with a [person|tutor], and paper that [counts|employers accept].",
        }
    ),
    people="tutors",
    clients="learners",
    craft="turning spare minutes into skills",
    aims=("learn in spare minutes", "speak a new language", "switch jobs", "finish a whole course"),
    qualities=("short lessons", "tutors who answer", "courses without advertising", "a money-back month"),
    facts=(
        "Lessons last [nine|twelve] minutes, because that is when [attention|concentration] fades.",
        "More than [sixty|eighty] courses are taught in [seven|five] languages.",
        "Three of four learners reach the last lesson.",
        "Everything can be [downloaded|saved] and taken [underground|on a plane].",
    ),
    voices=(
        "I ordered dinner in [Lisbon|Kyoto] and was [understood|answered].",
        "The tutor found my [mistake|habit] within a minute.",
        "At fifty-eight I wrote my first [program|waltz].",
    ),
    actions=("Start Learning", "Browse Courses", "Sign Up Free"),
    menu=("Courses", "Tutors", "Pricing", "Community"),
    sights=("Student with a laptop", "Online class", "Notebook", "Tutor"),
    prices=(8, 220),
)

ART_GALLERY = Kind(
    name="art_gallery",
    labels=("Art Gallery", "Art Museum", "Art Gallery Website"),
    noun="art gallery",
    brands=("White Cube Lane", "Ochre", "Easel", "Turpentine"),
    offers=offers(
        {
            "Current Exhibition": "[Paintings|Prints] by [four|three] artists who [never met|share a studio].",
            "Sculpture Garden": "[Bronze|Stone] among [apple trees|hedges], open until [dusk|nine].",
            "Guided Tours": "[Forty|Fifty] minutes, [six|seven] works and many [questions|opinions].",
            "Artist Talks": "[Thursday|Friday] evenings with wine and [honest|difficult] answers.",
            "Art Lending": "Hang a [print|painting] at home for [half a year|three months].",
            "Children's Studio": "[Clay|Paint] on the floor and on the [sleeves|walls].",
            "Framing": "[Museum glass|Limewood], cut while you [choose|wait].",
        }
    ),
    people="curators",
    clients="visitors",
    craft="hanging good pictures in good light",
    aims=("look slowly", "buy a first print", "meet an artist", "spend a rainy afternoon"),
    qualities=("benches in every room", "free entry on Sundays", "fair prices for artists", "texts without jargon"),
    facts=(
        "We show [six|five] exhibitions a year, each for [eight|nine] weeks.",
        "The building was a [tram depot|glove factory] until [1971|1984].",
        "[Half|A third] of the works cost less than a [bicycle|good coat].",
        "The north room has not been [repainted|changed] since [1990|it opened].",
    ),
    voices=(
        "I stood in front of one [drawing|canvas] for half an hour.",
        "The curator talked to my [son|mother] as if she were a [collector|critic].",
        "I came in from the rain and left with a [print|poster].",
    ),
    actions=("Visit the Gallery", "View Exhibitions", "Buy Tickets"),
    menu=("Exhibitions", "Artists", "Events", "Visit"),
    sights=("Painting", "Gallery room", "Sculpture", "Visitors"),
    prices=(5, 850),
)

PHOTOGRAPHER = Kind(
    name="photographer",
    labels=("Photography Studio", "Photography Portfolio", "Wedding Photographer"),
    noun="photography studio",
    brands=("Aperture", "Silver Halide", "Golden Hour", "Contact Sheet"),
    offers=offers(
        {
            "Weddings": "[Ten|Twelve] hours, [two|quiet] cameras and [no|few] poses.",
            "Portraits": "[Window|North] light, one [chair|coat] and as long as it [takes|needs].",
            "Family Sessions": "In your [garden|kitchen], with the [dog|grandparents] if possible.",
            "Product Photography": "[White|Plain] grounds, [true|measured] colors, [next-day|fast] files.",
            "Film Development": "[Black and white|Color] film, developed by [hand|us] every [Tuesday|week].",
            "Prints": "[Cotton|Baryta] paper that [outlives|will not fade before] us.",
            "Workshops": "[Four|Six] people, [one|a] town and a [long|whole] Saturday.",
        }
    ),
    people="photographers",
    clients="couples",
    craft="waiting for the right moment",
    aims=("remember the day", "have a natural portrait", "show a whole portfolio", "learn to see light"),
    qualities=("pictures within two weeks", "natural light", "printed contact sheets", "calm on busy days"),
    facts=(
        "We photograph no more than [thirty|twenty-five] weddings a year.",
        "The darkroom still [works|smells], and you may [look in|try it].",
        "All negatives are kept in a [dry|fireproof] cellar, back to [1974|1969].",
        "Half of our pictures are taken in the [first|last] hour of daylight.",
    ),
    voices=(
        "I had forgotten the [camera|photographer] after five minutes.",
        "My grandmother is [laughing|dancing] in every picture.",
        "The album is the first thing I would [save|show].",
    ),
    actions=("Book a Session", "View the Portfolio", "Ask for a Date"),
    menu=("Portfolio", "Weddings", "Prices", "Prints"),
    sights=("Portrait", "Wedding couple", "Landscape", "Camera"),
    prices=(60, 2600),
)

FASHION = Kind(
    name="fashion",
    labels=("Fashion Brand", "Fashion Retailer", "Clothing Store", "E-commerce Site for a Fashion Brand"),
    noun="fashion label",
    brands=("Selvedge", "Twill", "Nine Buttons", "Loom Street"),
    offers=offers(
        {
            "Summer Collection": "[Linen|Cotton] in [four|five] colors, cut [wide|loose] for hot days.",
            "Knitwear": "[Merino|Lambswool] from [one|a single] mill, [soft|dense] and repairable.",
            "Denim": "[Raw|Washed] and [straight|high], hemmed while you [wait|browse].",
            "Coats": "[Boiled wool|Waxed cotton] for [ten|fifteen] winters.",
            "Made to Measure": "[Two|Three] fittings and a [shirt|dress] that [remembers|fits] you.",
            "Accessories": "[Belts|Bags] and scarves from what the [cutting table|season] left over.",
            "Repairs": "[Buttons|Zips] and elbows, free for [life|ten years].",
        }
    ),
    people="tailors",
    clients="customers",
    craft="cutting clothes that are worn for years",
    aims=("dress well with less", "find a coat that fits", "wear something honest", "repair instead of replace"),
    qualities=("natural fibers", "small series", "fair wages", "free alterations"),
    facts=(
        "Every label carries the [name|initials] of the person who sewed it.",
        "We produce [two|three] collections a year and [never|rarely] a sale.",
        "Patterns are cut within [sixty|ninety] miles of the [shop|mill].",
        "Returns are [free|simple] for [thirty|forty] days, [worn or not|no reason needed].",
    ),
    voices=(
        "My [coat|jacket] is seven winters old and gets [compliments|better].",
        "At last [trousers|sleeves] that are long enough.",
        "The parcel smelled of [wool|lavender], not of plastic.",
    ),
    actions=("Shop Now", "View Collection", "Find a Store"),
    menu=("New In", "Women", "Men", "Sale"),
    sights=("Model in a coat", "Clothes rail", "Fabric", "Boutique"),
    prices=(19, 480),
)

MAGAZINE = Kind(
    name="magazine",
    labels=("News Site", "Online Magazine", "Blog", "Food Blog"),
    noun="magazine",
    brands=("The Ledger", "Evening Post", "Paper Boat", "Weekly Finch"),
    offers=offers(
        {
            "Local News": "What the [council|harbor] decided and what it [means|costs].",
            "Long Reads": "[Four|Six] thousand words for a [slow|wet] Sunday.",
            "Recipes": "[Tested|Cooked] three times and [written|shortened] for real kitchens.",
            "Book Reviews": "[Praise|Doubt] with reasons, never with [stars|numbers].",
            "Interviews": "[One|A single] guest, [one|a] table, no [press officer|time limit].",
            "Podcast": "[Twenty|Thirty] minutes each [Thursday|Tuesday], [unedited|with coughs].",
            "Letters": "Readers [disagree|answer], and we print it.",
        }
    ),
    people="editors",
    clients="readers",
    craft="writing down what happened and why",
    aims=("understand the week", "read both sides", "discover a writer", "cook something new"),
    qualities=("careful reporting", "corrections on page one", "pages without pop-ups", "short sentences"),
    facts=(
        "The newsroom has [nine|twelve] desks and one [stubborn|shared] dictionary.",
        "No article appears before a second [editor|reader] has [checked|called] the sources.",
        "[Four thousand|Six thousand] subscribers pay for everything you read here.",
        "The crossword is set by a retired [judge|midwife].",
    ),
    voices=(
        "The only newsletter I [open|print] at breakfast.",
        "They corrected a [comma|figure] and apologized. I [subscribed|stayed].",
        "Good on [elections|bridges], unbeatable on [soup|owls].",
    ),
    actions=("Subscribe", "Read More", "Send a Tip"),
    menu=("News", "Opinion", "Culture", "Archive"),
    sights=("Newsroom", "Printing press", "Reader with a paper", "Street scene"),
    prices=(3, 90),
)

EVENTS = Kind(
    name="events",
    labels=("Event Planning Company", "Music Festival", "Concert Hall"),
    noun="event company",
    brands=("Encore", "Confetti", "Big Marquee", "Curtain Call"),
    offers=offers(
        {
            "Conferences": "[Badges|Microphones], [coffee|catering] and a schedule that [holds|breathes].",
            "Weddings": "The [tent|barn], the band and [umbrellas|a plan] for rain.",
            "Concerts": "[Chamber|Brass] music in [courtyards|halls] with [real|wooden] chairs.",
            "Company Parties": "[Forty|Sixty] people or [four|six] hundred, [fed|seated] at once.",
            "Stage Rental": "[Lights|Sound] and [technicians|crew] by the day.",
            "Open Air Cinema": "A [white wall|screen], [deck chairs|blankets] and [warm|long] evenings.",
            "Children's Parties": "[Magic|Treasure hunts], cake and an [early|agreed] end.",
        }
    ),
    people="planners",
    clients="hosts",
    craft="making large evenings look effortless",
    aims=("celebrate without stress", "fill a hall", "surprise the guests", "keep to a budget"),
    qualities=("one contact on the night", "rain plans", "local musicians", "itemized quotes"),
    facts=(
        "We have planned [nine hundred|seven hundred] evenings and [canceled|postponed] two.",
        "Our store holds [six hundred|four hundred] chairs, all of them [matching|mended].",
        "The crew arrives [four|five] hours early and leaves [last|after sunrise].",
        "A planner stays on site until the [final|last] guest has a [taxi|coat].",
    ),
    voices=(
        "The storm came at [eight|nine] and nobody [noticed|got wet].",
        "My [parents|colleagues] still talk about the [lanterns|band].",
        "I was a guest at my own [party|wedding], at last.",
    ),
    actions=("Plan an Event", "Buy Tickets", "Request a Date"),
    menu=("Events", "Venues", "Gallery", "Tickets"),
    sights=("Stage", "Table setting", "Concert crowd", "Marquee"),
    prices=(12, 1500),
)
