"""Health, well-being and good causes."""

from colbench_gym.tasks.pages.kind import Kind, offers

CLINIC = Kind(
    name="clinic",
    labels=("Medical Clinic", "Healthcare Provider", "Family Practice", "Health Center"),
    noun="family clinic",
    brands=("Lindenfield", "Harbor", "Oakdale", "Alderwell"),
    offers=offers(
        {
            "Check Ups": "A full [hour|half-hour] to look at [everything|the whole picture], not only the symptom.",
            "Children's Health": "[Vaccinations|Growth checks] and colds, with [stickers|patience] for the brave.",
            "Women's Health": "[Screening|Advice] and care through every [stage|decade] of life.",
            "Physiotherapy": "Exercises that [fit|suit] your day, shown [in person|step by step].",
            "Lab Tests": "Blood taken [before work|from seven], results [by evening|the next day].",
            "Travel Medicine": "[Jabs|Vaccines] and plain advice before [long|distant] journeys.",
            "Video Visits": "See a doctor from your [sofa|desk], usually within [two hours|the day].",
        }
    ),
    people="doctors",
    clients="patients",
    craft="looking after whole families",
    aims=("feel better soon", "get clear answers", "stay healthy", "see the same doctor"),
    qualities=("short waiting times", "plain explanations", "evening appointments", "step-free access"),
    facts=(
        "Patients see the same doctor each time, [unless they ask otherwise|even at short notice].",
        "The surgery opens at [seven|half past seven] for people who work.",
        "We speak [five|seven] languages between us.",
        "Repeat prescriptions are ready within [one working day|two days].",
    ),
    voices=(
        "For once I did not feel [rushed|like a number].",
        "The nurse called the next day to ask [how I was|whether the fever had gone].",
        "Everything was explained twice, [kindly|without fuss].",
    ),
    actions=("Book an Appointment", "Call the Clinic", "Find a Doctor"),
    menu=("Services", "Doctors", "Patients", "Appointments"),
    sights=("Doctor with a patient", "Waiting room", "Clinic building", "Nurse"),
    prices=(20, 180),
)

DENTIST = Kind(
    name="dentist",
    labels=("Dental Practice", "Dentist", "Dental Care Clinic"),
    noun="dental practice",
    brands=("Molar", "Pearl Street", "Bright Gate", "Enamel"),
    offers=offers(
        {
            "Cleaning": "[Gentle|Thorough] polishing by a hygienist who [chats|explains] only if you like.",
            "Fillings": "Tooth-coloured and [finished|set] in one [visit|sitting].",
            "Clear Aligners": "Straighter teeth without [wires|metal], checked every [six|eight] weeks.",
            "Implants": "A firm [root|base] for a new tooth, planned in [three dimensions|detail].",
            "Children's Dentistry": "First visits are for [counting|admiring] teeth and nothing else.",
            "Emergencies": "Call before [ten|nine] and be seen [the same day|by noon].",
            "Whitening": "[Two|Three] shades brighter, [safely|gently] done.",
        }
    ),
    people="dentists",
    clients="patients",
    craft="caring for teeth without hurry or pain",
    aims=("smile with confidence", "lose the fear of the chair", "keep healthy teeth", "fix a broken tooth"),
    qualities=("written cost plans", "a calm voice", "modern anesthetics", "reminders by text"),
    facts=(
        "Nothing is drilled before you have seen the [picture|X-ray] yourself.",
        "A raised hand stops everything, [always|no questions asked].",
        "The practice has looked after this [street|quarter] since [1987|1994].",
        "Check-ups for under-[tens|twelves] are free.",
    ),
    voices=(
        "I actually fell [asleep|into a nap] in the chair.",
        "No surprise on the [bill|invoice], ever.",
        "My son asks when he may [come back|go again].",
    ),
    actions=("Book a Check-up", "Ask a Dentist", "Call Us Today"),
    menu=("Treatments", "Prices", "Team", "Emergency"),
    sights=("Treatment room", "Smiling patient", "Dentist", "Reception desk"),
    prices=(35, 950),
)

YOGA_STUDIO = Kind(
    name="yoga_studio",
    labels=("Yoga Studio", "Fitness Studio", "Wellness Center", "Health and Fitness"),
    noun="yoga studio",
    brands=("Stillpoint", "Lotus Lane", "Exhale", "Sun Mat"),
    offers=offers(
        {
            "Morning Flow": "[Sixty|Forty-five] minutes of [steady|moving] practice before [work|breakfast].",
            "Beginners Course": "[Six|Eight] evenings from the first breath to a [whole|complete] sequence.",
            "Restorative Yoga": "[Long|Quiet] holds with blankets, [bolsters|cushions] and no ambition.",
            "Strength Class": "Weights, [bands|kettlebells] and music for [tired backs|desk workers].",
            "Meditation": "[Twenty|Thirty] minutes of [silence|sitting], with a teacher near.",
            "Prenatal Yoga": "[Safe|Gentle] stretches and good company from week [fourteen|twelve].",
            "Retreats": "A [weekend|long weekend] in the hills with [simple|garden] food.",
        }
    ),
    people="teachers",
    clients="members",
    craft="teaching people to breathe and bend",
    aims=("move without pain", "sleep better", "find an hour of calm", "grow stronger"),
    qualities=("small groups", "a sprung wooden floor", "mats for everyone", "first class free"),
    facts=(
        "No class has more than [twelve|fourteen] people, so every pose is [seen|corrected].",
        "The studio looks out over the [roofs|river|park].",
        "You may freeze your membership for [a month|six weeks] whenever life [intervenes|gets busy].",
        "Tea is poured after the [evening|last] class.",
    ),
    voices=(
        "My back has not complained since [spring|the second week].",
        "I arrived stiff and [left|walked out] taller.",
        "The teachers notice [everything|each of us], and never push.",
    ),
    actions=("View the Timetable", "Try a Class", "Join Today"),
    menu=("Classes", "Timetable", "Teachers", "Pricing"),
    sights=("Yoga class", "Studio room", "Stretching", "Meditation corner"),
    prices=(12, 160),
)

CHARITY = Kind(
    name="charity",
    labels=("Non-profit Organization", "Charity Website", "Community Charity", "Nonprofit Foundation"),
    noun="charity",
    brands=("Open Hands", "Lantern", "Second Harvest Road", "Common Ground"),
    offers=offers(
        {
            "Food Parcels": "A week of [groceries|meals] for [families|people] who would otherwise go without.",
            "Tutoring": "[Two|Three] hours a week with a volunteer who [cares|listens].",
            "Clean Water": "[Wells|Filters] that villages [own|look after] themselves.",
            "Shelter": "A [warm|safe] bed tonight and a [plan|key] for tomorrow.",
            "Tree Planting": "[Native|Young] trees along roads, [schools|rivers] and fields.",
            "Job Training": "Skills that local employers [ask for|need now], taught [free of charge|in twelve weeks].",
            "Emergency Relief": "Blankets and [radios|tents] within [forty-eight|seventy-two] hours.",
        }
    ),
    people="volunteers",
    clients="families",
    craft="standing beside people in hard times",
    aims=("help where it counts", "give an afternoon", "change one life", "build a kinder town"),
    qualities=("open accounts", "local partners", "no paid fundraisers", "ninety cents of each dollar in the field"),
    facts=(
        "Last year [two hundred|three hundred and forty] volunteers gave [nine|twelve] thousand hours.",
        "Every donation is answered with a [letter|note] that says what it [paid for|became].",
        "We began with one [van|kitchen] and a [borrowed|rented] room.",
        "Our books are audited and [published|online] each [March|spring].",
    ),
    voices=(
        "They asked what we needed [before|instead of] telling us.",
        "I came for help and stayed as a [volunteer|driver].",
        "Because of them my daughter [finished school|has a desk of her own].",
    ),
    actions=("Donate Now", "Volunteer", "Get Involved"),
    menu=("Our Mission", "Programs", "Get Involved", "Donate"),
    sights=("Volunteers", "Community garden", "Children at school", "Food parcels"),
    prices=(5, 250),
)

ANIMAL_SHELTER = Kind(
    name="animal_shelter",
    labels=("Animal Shelter", "Veterinary Clinic", "Pet Rescue"),
    noun="animal shelter",
    brands=("Paw Lane", "Kindred Tails", "Barn Cat", "Wagtail"),
    offers=offers(
        {
            "Adoption": "Meet [dogs and cats|animals] whose [stories|habits] we know well.",
            "Vaccinations": "[Quick|Gentle] jabs and a biscuit [afterwards|for courage].",
            "Fostering": "Give a [kitten|nervous dog] a sofa for [a month|the summer].",
            "Lost and Found": "We [scan|check] every stray and call the owner [at once|the same hour].",
            "Training Classes": "Loose [leads|lines] and better [manners|evenings] in [five|six] lessons.",
            "Boarding": "[Runs|Rooms] with a garden while you are [away|on holiday].",
            "Senior Pets": "Quiet [companions|souls] over [ten|eight], adopted for a small fee.",
        }
    ),
    people="keepers",
    clients="owners",
    craft="finding homes for animals that lost theirs",
    aims=("adopt a friend", "keep a pet healthy", "foster for a while", "help an animal"),
    qualities=("a vet on site", "lifelong advice", "honest profiles", "a quiet viewing room"),
    facts=(
        "Each animal is neutered, chipped and [wormed|checked] before it [leaves|moves in with you].",
        "Walkers are wanted every [morning|weekend], rain or shine.",
        "[Nine|Eight] out of ten animals find a home within [two months|the season].",
        "We never turn an animal away because the [kennel|house] is full.",
    ),
    voices=(
        "He slept on my feet the first [night|evening] and never left.",
        "They warned us about his [quirks|barking], and were right about all of them.",
        "Best [decision|morning] of the year.",
    ),
    actions=("Meet the Animals", "Adopt Today", "Become a Foster"),
    menu=("Dogs", "Cats", "Adopt", "Volunteer"),
    sights=("Dog in a garden", "Kitten", "Keeper with a dog", "Kennels"),
    prices=(10, 220),
)
