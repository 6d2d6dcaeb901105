"""English words in which users are described."""

from sparring.extraction.role_words.role_words import RoleWords, matching, words

_OWN = r"(?:your|my|his|her|their|the (?:user|customer|client|caller)'s)"
_YOU = r"(?:you|i|the (?:user|customer|client|caller))"
_ARE = rf"(?:{_YOU} (?:are|am|is)|you're|i'm)"
_ID = (
    r"order|account|booking|reservation|customer|client|policy|member(?:ship)?|ticket|invoice|tracking|case|student"
    r"|employee|passport|card"
)
_NOT = r"(?:not|never|hardly|don't|doesn't|won't)"
_SAYINGS = r"(?:sentences?|answers?|messages?|phrases?|repl(?:y|ies)|responses?|questions?|texts?|conversation)"

ENGLISH = RoleWords(
    named=matching(
        rf"{_OWN} (?:full |real |complete )?name (?:is|:)(?: called)?",
        rf"{_ARE} (?:an? (?:[\w-]+ ){{1,5}})?(?:called|named)",
        r"(?:customer|client|user|guest|caller|patient|student|person|woman|man|girl|boy|lady|gentleman)"
        r"(?:,)? (?:called|named|by the name of|whose name is)",
        r"(?:introduce yourself as|use the name|go by(?: the name(?: of)?)?|under the name(?: of)?|act as|play)",
    ),
    are=matching(_ARE),
    not_names=words(
        "american arab argentinian australian austrian asian african belgian brazilian british bulgarian canadian"
        " catalan catholic chilean chinese christian colombian croatian cuban czech danish dutch egyptian english"
        " erasmus european finnish french german greek hindu hungarian indian indonesian iranian irish israeli italian"
        " japanese jewish korean latin mexican muslim moroccan nigerian norwegian pakistani peruvian polish portuguese"
        " romanian russian scottish serbian slovak slovenian spanish swedish swiss thai turkish ukrainian vietnamese"
        " welsh the a an not never very"
    ),
    persons=matching(
        r"(?:\w+ ){0,3}(?:customer|client|user|guest|caller|patient|student|person|woman|man|teacher|engineer|owner"
        r"|tourist|travell?er|buyer|member|parent|mother|father|manager|nurse|doctor|driver)\b"
    ),
    own=matching(rf"{_OWN} ((?:[\w'-]+ ){{0,3}}[\w'-]+) (?:is|are|=)(?: called| named)? "),
    has_called=matching(rf"{_YOU} (?:have|has|own|owns) an? (?:\w+ )?(\w+) (?:called|named|whose name is) "),
    address=matching(
        rf"{_YOU} lives? (?:at|in|on) ",
        r"address (?:is|:) ",
        r"deliver(?:ed|y)? (?:it |this |them )?(?:to|at) ",
    ),
    street=matching(
        r"\d{1,5}[a-z]? (?:[\w'-]+ ){0,3}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|square|sq|boulevard|blvd|way"
        r"|close|court|place|terrace|row|crescent)\b"
    ),
    age=matching(
        r"(?:are|am|is|you're|i'm|aged?|age is|age:) (\d{1,3})(?: years? old)?(?=$|[.,;!?]| and\b| years? old\b"
        r"| with\b)",
        r"(\d{1,3})[- ]years?[- ]old\b",
    ),
    born=matching(r"(?:born|birthday|birth ?date|date of birth)\b"),
    budget=matching(
        r"(?:at most|(?:no|not) more than|up to|budget (?:of|is)(?: up to| at most)?|maximum (?:of|is)|spend more than"
        r"|can spend|limit (?:of|is)|not exceed) $"
    ),
    code=matching(rf"({_ID})(?: (no\.?|number|id|code|reference|ref\.?))?:?(?: is)? #?$"),
    available=matching(
        r"(?<!for )(?:free|available|availability is)(?! of charge)",
        r"can (?:only )?(?:come|make it|meet|do it|attend)",
        r"have time",
    ),
    weekdays=tuple(f"{day}s?" for day in "monday tuesday wednesday thursday friday saturday sunday".split()),
    day_groups={
        r"weekdays?|working days?": (0, 1, 2, 3, 4),
        r"weekends?": (5, 6),
        r"(?:every|any) day": tuple(range(7)),
    },
    parts_of_day={
        r"mornings?": (6 * 60, 12 * 60),
        r"afternoons?": (12 * 60, 18 * 60),
        r"evenings?": (17 * 60, 22 * 60),
    },
    after=r"(?:after|from|since|not before|at the earliest at)",
    before=r"(?:before|until|till|by|not after|at the latest at)",
    between=r"between|from",
    except_=r"(?:not|never|except|but not|apart from|other than)(?: for)?(?: on| in| the)*",
    late=r"p\.?m\b",
    asked={
        "email": matching(r"e-?mail"),
        "phone": matching(
            r"(?:tele)?phone|mobile|cell(?:phone)?\b|contact (?:number|details|information)",
            r"(?:reach|contact|call) you\b",
        ),
        "birth_date": matching(r"date of birth|birth ?da(?:te|y)|(?:when|what year) were you born"),
        "age": matching(r"how old|age\b"),
        "address": matching(
            r"address\b|post ?code|zip code|where do you live",
            r"where (?:should|shall|can|do|would|to) .{0,30}\b(?:send|deliver|ship|bring)",
            r"where .{0,30}\bdeliver(?:ed)?\b",
        ),
        "id": matching(rf"({_ID})(?:'s)? (?:no\b|number|id\b|code|reference|ref\b)", r"id\b|reference (?:number|code)"),
        "budget": matching(r"budget", r"how much .{0,30}\b(?:spend|pay)\b", r"price range"),
        "name": matching(
            r"(?:sur)?names?\b",
            r"who (?:am i|is this|is calling|are you)\b",
            r"(?:what|how) (?:should|can|may|shall|do) (?:i|we) (?:call|address) you",
            r"who .{0,30}\b(?:booking|reservation|order|appointment) .{0,10}\bfor\b",
        ),
        "availability": matching(
            r"when (?:are|would|will|can|could|do|is|shall|should)\b",
            r"(?:what|which) (?:day|time|date)",
            r"availab\w*|(?:suits?|works?)(?: \w+)? (?:for )?you\b|convenient",
        ),
    },
    not_own_name=matching(
        r"(?!caller|customer|client|user|guest|person)[\w-]+'s name",
        r"names? of (?:your|the|this|that) (?!customer|client|person|guest|account|booking|reservation|order|holder)",
        r"(?:user|file|product|brand|company|street|pet|dog|cat|model|item|nick)[ -]?names?\b",
    ),
    nouns={
        "name": matching(r"(?:(?:full|first|last|real|own|client|customer|user|guest|caller|contact) )?(?:sur)?name$"),
        "email": matching(r"(?:\w+ )?e-?mail(?: address)?$"),
        "phone": matching(r"(?:\w+ )?(?:phone|mobile|telephone|cell)(?: number)?$"),
        "birth_date": matching(r"(?:date of birth|birthday|birth ?date)$"),
        "address": matching(r"(?:\w+ )?address$"),
        "age": matching(r"age$"),
        "budget": matching(r"(?:\w+ )?budget$"),
        "id": matching(rf"(?:{_ID}) (?:number|no|id|code|reference)$|id$"),
        "availability": matching(r"availability$"),
        "": matching(
            r"(?:\w+ )*(?:role|goals?|task|tone|style|mood|questions?|answers?|messages?|responses?|sentences?|phrases?"
            r"|personality|language|replies)$"
        ),
    },
    negation=matching(r"(?:not|never|no|without|hardly|rarely|don't|doesn't|isn't|aren't|won't|avoid|nor)\b"),
    manners={
        "terse": matching(
            rf"(?:short|plain|simple|brief|concise|direct)(?: and \w+|, \w+)? {_SAYINGS}",
            r"(?:very |be |and |are |simple |a )direct\b(?! (?:flight|train|bus|debit|deposit))",
            r"terse|laconic|brief(?:ly)?\b|concise(?:ly)?\b|to the point|few words|monosyllab|yes or no\b"
            r"|do not elaborate"
            r"|keep (?:it|things) short|expert\b",
        ),
        "wordy": matching(
            r"chatt(?:y|er)|(?:like|love|enjoy)s? to chat|talkative|verbose|ramble|long-winded",
            r"(?:talk|speak|write)s? (?:a lot|too much|about (?:your|the|you))|small talk|friendly conversation",
            r"talk(?:s|ing)? about you(?:r|rself)?\b|make friends|personal (?:comments?|things)|social interaction",
            rf"long(?:,? (?:and )?\w+)? {_SAYINGS}|(?:in|lots of|every|great) details?\b|detailed (?:messages?"
            rf"|answers?|responses?)",
        ),
        "formal": matching(
            r"formal(?:ly)?\b|polite(?:ly|ness)?\b|courteous|well-mannered|thanks?\b|thankful|appreciat"
        ),
        "rude": matching(
            r"rude(?:ly|ness)?\b|angr(?:y|ily)|anger|annoyed|irritable|insult|abusive|look down|impolite|grumpy|hostile"
            r"|aggressive|furious|bad-tempered|short-tempered|unfriendly|never (?:say|says) (?:please|thank)|curt\b"
        ),
        "impatient": matching(
            r"(?:in a |in a great )?hurry|hurried|impatien|stressed|rushed|in a rush|urgent|short (?:of|on) time",
            rf"(?:have|has|got) (?:no|little) time|{_NOT} (?:like|want)s? to wait|{_NOT} like waiting"
            r"|(?:loose|lose)s? (?:your |their )?(?:patience|temper)|as (?:quickly|fast|soon) as possible"
            r"|complains?\b|faster\b",
        ),
        "vague": matching(
            r"vague|forget(?:s|ful)?\b|shy\b|insecure|disorgani[sz]ed|unsure|uncertain|incoherent|absent-minded"
            r"|undecided"
            r"|indecisive|unclear|not (?:quite )?sure|mix(?:es)? (?:several|different|various) topics"
        ),
        "sceptical": matching(
            rf"s[ck]eptic|doubt(?!less)|distrust|mistrust|wary|suspicious|{_NOT} (?:\w+ )?trust"
            r"|hesitates? to (?:give|share)|question the responses|what (?:it|that|this) is needed for"
        ),
        "curious": matching(
            r"curio(?:us|sity)|(?:know|ask|asks|learn) (?:why|the reasons?)|reasons?\b.{0,40}\b(?:behind|for) every"
            r"|inquisitive"
            r"|like(?:s)? to learn|(?:asks?|have|has) (?:a lot of|many|further) questions|asks? (?:a |many )?further"
        ),
        "confused": matching(
            r"confused\b|easily confus|elderly|old (?:person|man|woman|lady)|senior citizen|over (?:eighty|seventy"
            r"|ninety)"
            rf"|(?:eighty|seventy|\d\d)[- ]year[- ]old|(?:little|not much|nothing|{_NOT} know much) (?:about"
            rf"|of) (?:\w+ )?technolog"
            r"|first time (?:that )?(?:you )?(?:talk|use|using|talking|chat)|not (?:good|familiar"
            r"|comfortable) with (?:\w+ )?technolog"
        ),
        "flexible": matching(
            r"flexible|easy-?going|accepts? (?:any|an|other|all|alternatives?|whatever|what|another|the)|open to"
            rf"|happy with any|settle for|{_NOT} mind"
        ),
        "insistent": matching(
            rf"insist|stubborn|persistent|{_NOT} (?:accept|settle for|give up|back down|take no)|uncompromising"
        ),
        "adversarial": matching(
            r"trick(?:s|ing)?\b|(?:speak|talk|ask)s? (?:to|for|with) (?:a|the|your|their|its) (?:manager|supervisor)"
            r"|for free\b"
            r"|ignore (?:its|the|all|any|your|their|previous) (?:\w+ )?(?:rules?|instructions?|polic|prompt)"
            r"|jailbreak|manipulat"
            r"|cheat|deceiv|threaten|threat (?:him|her|it|the)|blackmail"
        ),
    },
    hold=matching(
        r"never act as (?:an? |the )?(?:assistant|chatbot|bot|agent)",
        r"your role is (?:that of )?(?:the |an? )?(?:user|customer|client)",
        r"(?:you )?(?:have to |must |should |need to )?act as an? (?:user|customer|client|caller|person|citizen)\b",
        rf"{_ARE} an? (?:user|customer|client|caller)\b",
        r"(?:do not|don't|never|without) ask(?:ing)? (?:for |about )?(?:anything|any other|other|extra|two things)",
        r"(?:just|only) (?:ask|order|say|answer)\b",
        r"you do not have an? \w+",
    ),
    kinds={"dog": "pet", "cat": "pet", "rabbit": "pet", "hamster": "pet", "bird": "pet", "horse": "pet"},
)
