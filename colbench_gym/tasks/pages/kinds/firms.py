"""Firms that sell advice, software and money matters."""

from colbench_gym.tasks.pages.kind import Kind, offers

LAW_FIRM = Kind(
    name="law_firm",
    labels=("Law Firm", "Law Office", "Legal Services"),
    noun="law firm",
    brands=("Chancery", "Plain Counsel", "Gavel Street", "Equity House"),
    offers=offers(
        {
            "Family Law": "[Separation|Custody], settled [with care|without theater] wherever both sides are willing.",
            "Employment": "Contracts read before you sign, and dismissals [challenged|checked] in time.",
            "Tenancy": "Deposits, [repairs|rent increases] and notices, explained in [one|a single] meeting.",
            "Wills and Estates": "A will that your [children|heirs] can understand and nobody can bend.",
            "Company Formation": "From the [name|idea] to the register in [ten|fourteen] days.",
            "Mediation": "[Two|Both] parties, one table and somebody who [stays calm|keeps the order].",
            "Traffic Law": "[Fines|Licenses] and accidents, with an honest view of your [chances|prospects].",
        }
    ),
    people="attorneys",
    clients="clients",
    craft="turning difficult letters into clear answers",
    aims=("know all the risks", "settle a dispute", "protect a family business", "sign with confidence"),
    qualities=("fixed fees", "plain language", "same-week meetings", "discretion"),
    facts=(
        "The first half hour costs [nothing|less than a lunch] and often settles the matter.",
        "We take on no case that we would [not fight for|advise a friend against].",
        "Our attorneys appear before [nine|seven] courts in [three|two] counties.",
        "You receive a copy of every letter on the [same day|day it leaves the office].",
    ),
    voices=(
        "For the first time I understood my own [contract|lease].",
        "They told me not to sue, and they were [right|quite right].",
        "Calm, [quick|prompt] and cheaper than I had [feared|expected].",
    ),
    actions=("Schedule a Consultation", "Request a Call", "Contact an Attorney"),
    menu=("Practice Areas", "Attorneys", "Fees", "Publications"),
    sights=("Law library", "Meeting room", "Courthouse", "Signing a contract"),
    prices=(90, 2500),
)

BANK = Kind(
    name="bank",
    labels=("Financial Services", "Banking and Finance Company", "Credit Union", "Financial Institution"),
    noun="credit union",
    brands=("Keystone", "Granary", "First Meadow", "Sterling Row"),
    offers=offers(
        {
            "Savings Accounts": "[Steady|Fair] interest, and you may [withdraw|change your mind] at any time.",
            "Mortgages": "A rate that is [fixed|settled] for [ten|fifteen] years and an adviser who is reachable.",
            "Business Loans": "Decided [in town|here] by people who [visit|know] your shop.",
            "Retirement Plans": "Small [monthly|regular] sums, [patiently|soberly] invested.",
            "Insurance": "[Four|Five] policies that most people need and none that they [do not|never will].",
            "Student Accounts": "Free of charge until [twenty-six|the diploma], with a [card|small overdraft].",
            "Budget Advice": "An hour with a [pencil|spreadsheet] that [pays for itself|nobody regrets].",
        }
    ),
    people="advisers",
    clients="members",
    craft="looking after other people's money",
    aims=("buy a first home", "save for later", "start a company", "keep an eye on spending"),
    qualities=("fees on one page", "local decisions", "secure online banking", "a branch with real people"),
    facts=(
        "We belong to our [eleven thousand|twenty-six thousand] members and to nobody else.",
        "Nine of ten loans are decided within [two|three] working days.",
        "What members save here is lent [here|within thirty miles].",
        "The mobile app was tested by [pensioners|our oldest members] before it was released.",
    ),
    voices=(
        "They said no to the car and [yes|an early yes] to the workshop.",
        "My adviser has had the same [name|phone number] for twelve years.",
        "Moving the account took [one form|ten minutes].",
    ),
    actions=("Open an Account", "Log In", "Apply for a Loan"),
    menu=("Accounts", "Loans", "Calculators", "Support"),
    sights=("City skyline", "Adviser with a couple", "Branch office", "Coins"),
    prices=(5, 400),
)

SOFTWARE_COMPANY = Kind(
    name="software_company",
    labels=("Software Company", "Technology Company", "Tech Company", "IT Solutions Company"),
    noun="software company",
    brands=("Bytefield", "Kernel Works", "Northstack", "Loopline"),
    offers=offers(
        {
            "Cloud Hosting": "[Quiet|Green] data centers and backups that we [restore|test] every [month|week].",
            "Web Development": "Pages that load in [a second|a blink] and work on [old|any] phones.",
            "Data Migration": "From [spreadsheets|old servers] to something you can [search|trust], over a weekend.",
            "Mobile Apps": "One [team|codebase] for both stores and no [tracking|surprises].",
            "Security Audits": "We [break in|look] before others do, and [write down|show you] how.",
            "Help Desk": "A person answers within [two|five] rings, [day and night|from seven to ten].",
            "Training": "[Short|Hands-on] lessons for teams who would rather [work|ship].",
        }
    ),
    people="engineers",
    clients="companies",
    craft="building software that people enjoy using",
    aims=("replace an old system", "launch on time", "work without interruptions", "understand the data"),
    qualities=("source code that belongs to you", "weekly demos", "open standards", "round-the-clock monitoring"),
    facts=(
        "We release on [Tuesdays|Mondays], so that nobody has to [work|worry] on a weekend.",
        "Our longest contract has run for [fourteen|eleven] years without a signed [penalty|complaint].",
        "Half of the team works [remotely|from other towns], the other half near the [coffee machine|station].",
        "Every line is reviewed by a second pair of [eyes|hands].",
    ),
    voices=(
        "Our warehouse runs on it and nobody [notices|calls me anymore], which is the point.",
        "They talked us out of a feature and saved us [a month|a fortune].",
        "The handover took [an afternoon|one meeting] and [no swearing|two coffees].",
    ),
    actions=("Request a Demo", "Start Free Trial", "Talk to Sales"),
    menu=("Products", "Solutions", "Pricing", "Support"),
    sights=("Team at screens", "Server room", "Office", "Dashboard"),
    prices=(9, 499),
)

STARTUP = Kind(
    name="startup",
    labels=("Tech Startup", "Technology Startup", "Energy Startup", "Startup Landing Page"),
    noun="startup",
    brands=("Voltleaf", "Pathkite", "Quickbrook", "Sunmeter"),
    offers=offers(
        {
            "Smart Meters": "See each [kilowatt|socket] on your phone and [lower|halve] the standby bill.",
            "Route Planner": "[Deliveries|Visits] in the best order, [recalculated|updated] on the road.",
            "Team Calendar": "One view of who is [where|free], without [forty|endless] emails.",
            "Solar Forecasts": "Tomorrow's [yield|sunshine], roof by roof.",
            "Developer API": "[Clear|Short] documentation and a sandbox that [forgives|resets].",
            "Reports": "One page every [Monday|Friday] that tells you what [changed|matters].",
            "Integrations": "Works with the [thirty|forty] tools you [already have|cannot leave].",
        }
    ),
    people="founders",
    clients="teams",
    craft="making one tedious task disappear",
    aims=("save an hour a day", "plan with real numbers", "use less energy", "stop copying spreadsheets"),
    qualities=("a free plan", "setup in ten minutes", "data kept in one country", "answers from the founders"),
    facts=(
        "The first version was [written|sketched] on a train between two [cities|exams].",
        "More than [nine hundred|two thousand] teams use it every [day|Monday].",
        "We publish our [roadmap|outages] and our [prices|mistakes].",
        "[Two|Three] of us still answer every support message.",
    ),
    voices=(
        "It does one thing and I have [stopped|almost forgotten] worrying about it.",
        "We [switched|signed up] at lunch and were done by [three|coffee].",
        "The weekly report is the only mail I [read twice|forward].",
    ),
    actions=("Sign Up", "Try It Free", "Watch the Demo"),
    menu=("Features", "Pricing", "Docs", "Blog"),
    sights=("Product on a laptop", "Founders", "Phone screen", "Rooftop panels"),
    prices=(4, 149),
)

CONSULTANCY = Kind(
    name="consultancy",
    labels=("Consulting Firm", "Business Consultancy", "IT Consulting Firm"),
    noun="consulting firm",
    brands=("Clearwater", "Second Opinion", "Meridian", "Lever & Pulley"),
    offers=offers(
        {
            "Strategy Days": "[Two|Three] days, [eight|six] people and a plan on [a single|one] page.",
            "Process Reviews": "We [walk|follow] one order through the [house|company] and count the detours.",
            "Hiring": "[Job|Role] profiles that attract the [few|right people].",
            "Cost Control": "[Quiet|Steady] savings that customers do not [notice|feel].",
            "Mergers": "Two [cultures|payrolls] into one, [department|week] by [department|week].",
            "Workshops": "[Sticky notes|Whiteboards] included, jargon [left at the door|excluded].",
            "Interim Management": "An experienced hand for [three|six] difficult months.",
        }
    ),
    people="consultants",
    clients="companies",
    craft="asking the questions nobody inside dares to ask",
    aims=("grow without chaos", "decide faster", "hand over to the next generation", "find hidden costs"),
    qualities=("short reports", "senior staff only", "success fees", "honest second opinions"),
    facts=(
        "A project never lasts longer than [ninety|one hundred] days.",
        "We have worked in [eleven|eight] industries, from [ferries|dairies] to [hospitals|foundries].",
        "Nobody here travels with more than [one slide|ten slides].",
        "[Three|Four] of five clients call us a second time.",
    ),
    voices=(
        "They left [earlier|sooner] than planned, because we could [go on alone|manage].",
        "One question in the first hour [saved|changed] our year.",
        "Finally a report that the [board|whole shop floor] read.",
    ),
    actions=("Book a Call", "Request a Proposal", "Read Case Studies"),
    menu=("Services", "Industries", "Insights", "Careers"),
    sights=("Meeting", "Whiteboard", "Office tower", "Handshake"),
    prices=(150, 4800),
)

AGENCY = Kind(
    name="agency",
    labels=("Creative Agency", "Design Agency", "Digital Marketing Agency", "Design Studio"),
    noun="creative agency",
    brands=("Halftone", "Magenta Fox", "Kerning", "Blank Page"),
    offers=offers(
        {
            "Branding": "A [mark|name] and a voice that [fit|survive] on a van, a pen and a [phone|mug].",
            "Web Design": "[Wireframes|Sketches] first, [color|code] last, and a site you can [edit|keep].",
            "Campaigns": "[One|A single] idea across [posters|radio] and screens for [six|eight] weeks.",
            "Packaging": "Boxes that are [opened|kept] with care.",
            "Photography": "Your people as they [are|work], in [daylight|their own rooms].",
            "Copywriting": "[Short|Clear] sentences that still sound like [you|somebody].",
            "Illustration": "[Ink|Paper cuts], pixels or [chalk|murals], whatever the story [wants|needs].",
        }
    ),
    people="designers",
    clients="brands",
    craft="giving good ideas a face",
    aims=("be remembered", "launch a brand", "speak to younger people", "look as good as the work"),
    qualities=("three drafts in two weeks", "one contact person", "fonts you may keep", "fresh eyes"),
    facts=(
        "Our studio is a former [print shop|bakery] with the [presses|ovens] still inside.",
        "We say no to about [half|a third] of what we are [asked|offered].",
        "Clients get the [sketchbook|working files] as well as the files.",
        "The youngest of us is [nineteen|twenty-one], the oldest [sixty-eight|seventy].",
    ),
    voices=(
        "Our new sign made the [baker|neighbors] across the street jealous.",
        "They drew our company on a [napkin|beer mat], and that was it.",
        "Sales rose, but above all we [like|recognize] ourselves again.",
    ),
    actions=("Start a Project", "See Our Work", "Say Hello"),
    menu=("Work", "Services", "Studio", "Journal"),
    sights=("Poster wall", "Designer at work", "Studio", "Brand sketches"),
    prices=(200, 5200),
)
