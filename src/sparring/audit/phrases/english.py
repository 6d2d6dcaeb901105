"""Wordings of misbehaving users in English."""

from sparring.audit.phrases.phrases import MisbehaviorPhrases

_THING = (
    r"(?:order|appointment|booking|reservation|request|ticket|refund|payment|return|subscription|delivery|table|flight"
    r"|package|parcel|transfer|card|repair|session|pizza|meal|room|account|claim|call|exchange|cancell?ation|total)"
)
_DONE = (
    r"(?:placed|confirmed|booked|scheduled|reserved|processed|cancell?ed|completed?|received|set|updated|changed"
    r"|registered|submitted|approved|ready|on (?:its|the) way|shipped|added|issued|refunded|activated|noted|recorded"
    r"|successful(?:ly)?|being (?:processed|prepared)|in progress)"
)
_DOES = (
    r"(?:place|book|schedule|reserve|arrange|process|submit|ship|prepare|add|set up|register|look up|pull up|locate"
    r"|apply|issue|update|recommend|suggest)"
)
_DID = (
    r"(?:placed|booked|scheduled|reserved|arranged|processed|submitted|shipped|prepared|added|set up|registered|looked"
    r" up|pulled up|located|applied|issued|updated|noted|cancell?ed|confirmed|recorded)"
)
_ID = r"(?:number|id|code|reference|details|info|information)"
_AI = r"(?:(?:an? )?(?:large |ai |artificial )*(?:language model|ai model|ai assistant|ai system|ai program))"

_OWN = (
    r"(?:own |internal |company |return |refund |store |official |standard |system )*(?:polic(?:y|ies)|terms(?: of"
    r" service| and conditions)?|rules|guidelines?|manual|handbook|procedures?|protocols?|workflow|script|training"
    r"|instructions|documentation|regulations|playbook|programming|system prompt)"
)
_STAGE = r"(?:scenario|role-?play\w*|script|persona|simulation|brief|system prompt|prompt|test case|character)"
_MACHINE = (
    r"(?:database|data base|crm|knowledge base|back-?end|order system|internal \w+|lookup|api|endpoint|json|payload"
    r"|customer table|webhook|query|tool call|api call|function call|search call|records with)"
)
_WORK = (
    r"ask (?:me|for|my|about|the|if|whether)|verify|confirm (?:my|the|with|this|it|me)|offer me|look (?:me |it |this "
    r"|that )?up|place the|(?:reply|respond|answer|come back) with|say (?:that|it|so)|summari[sz]e|apologi[sz]e|request"
    r"|report|call (?:the|your|a|for)|use (?:the|your|a)|log|record|transfer me|escalate|follow your|check (?:the|my|if"
    r"|with)|act|tell me (?:that|the)|repeat|read back|greet|process the"
)

_CANNOT = (
    r"i(?:'m| am|'ll| will)? (?:can't|cannot|can not|won't|will not|unable to|not able to|won't be able to|be unable to"
    r"|not allowed to|not permitted to|not programmed to|not designed to|must decline to|have to decline to|refuse to)"
)
_REQUEST = (
    r"(?:request|role-?play|conversation|scenario|task|topic|inquiry|matter|simulation|dialogue|chat|discussion|role)"
)

ENGLISH = MisbehaviorPhrases(
    assistant=(
        r"(?:how|what) (?:else )?(?:can|may|could) (?:i|we) (?:help|assist|serve|do for|get for|offer|get) you\b",
        r"how (?:can|may|could) (?:i|we) (?:be of|assist|help) (?:you|help|assistance|service|today|with)",
        r"any(?:thing|thing else| other \w+) (?:that )?(?:i|we) (?:can|could|may) (?:help|assist|do|get|offer)",
        r"anything else you(?:'d| would) like to (?:order|add|ask|discuss|do|change|try)",
        r"(?:i'm|i am|we're|we are) (?:always )?here to (?:help|assist)",
        r"(?:i'd|i would|i'll|i will|i'm|i am|we'd|we would|we're|we are)(?: \w+)? (?:happy|glad|delighted|pleased"
        r"|able) to (?:help|assist) (?:you|with)",
        r"(?:happy|glad|pleased) (?:to|i could|we could) (?:help|assist|be of (?:help|service))",
        r"i can (?:certainly |definitely |surely |absolutely )?(?:help|assist) you with",
        rf"(?:let me|i'll|i will|i can|i could|i'd|allow me to|i'm going to|we'll|we will|we can) (?:go ahead and |\w+"
        rf" )?{_DOES} (?:[\w'-]+ ){{0,10}}for you\b",
        rf"(?:i've|i have|i just|i|we've|we have)(?: now| just| already| successfully| gone ahead and)? {_DID}"
        rf" (?:[\w'-]+ ){{0,10}}for you\b",
        rf"(?:i've|i have|i just|we've|we have)(?: now| just| already| successfully| gone ahead and)? {_DID} your\b",
        rf"(?:i'll|i will|i can|i'm going to|let me|we'll|we will)(?: now| just| go ahead and)? {_DOES} your {_THING}",
        rf"(?:i'm|i am|we're|we are) (?:now |currently )?(?:processing|placing|preparing|checking|updating) your"
        rf" {_THING}",
        r"(?:added?|put|included?) (?:[\w'-]+ ){1,8}to your (?:order|cart|basket|booking)\b",
        rf"your (?:[\w'#-]+ ){{0,4}}{_THING} (?:[\w'#-]+ ){{0,6}}(?:is|was|are|has been|have been|will be|should be)"
        rf" (?:now |all |being |\w+ly )?{_DONE}\b",
        r"your (?:\w+ )?(?:total|subtotal|bill|(?:order|confirmation|booking|ticket|reservation|tracking) (?:total"
        r"|number|code|reference|id)) (?:is|comes to|will be|amounts to|would be)\b",
        r"(?:that|this|it|everything)(?:'ll| will|'d| would)? (?:be|come to|comes to|brings (?:you|your total) to) (?:a"
        r" total of |exactly |about )?(?:[$€£₽] ?[0-9]|[0-9]+(?:[.,][0-9]+)? ?(?:[$€£₽]|dollars|euros?\b|pounds|usd\b"
        r"|eur\b))",
        r"(?:which|what|how many|how much|what kind of|what type of|what size of) (?:[\w'-]+ ){1,4}would you (?:like"
        r"|prefer|want)\b",
        r"what would you like to (?:order|drink|eat|have|book|add|buy|purchase|do today|know)\b",
        r"(?:would you (?:also )?like|do you want|care for|can i get you|how about) (?:[\w'-]+ ){1,8}with (?:that"
        r"|your)\b",
        r"would you (?:also )?(?:like|prefer|care) to (?:add|order|pay|proceed|book|schedule|place|upgrade|reserve"
        r"|purchase|hear (?:about )?our)\b",
        r"would you like me to (?:check|book|place|add|arrange|proceed|help|look|process|cancel|schedule|reserve"
        r"|transfer|order|find|recommend|set|put|go ahead)\b",
        r"would you like (?:any|some|a|an) (?:\w+ )?(?:toppings?|drinks?|sides?|extras?|desserts?|sauces?|receipt"
        r"|assistance|help)\b",
        r"would you like (?:delivery|pick-?up|takeaway|takeout|it delivered|that delivered)\b",
        r"would you like (?:anything|something) (?:else|to (?:drink|eat))\b",
        r"can i (?:get|offer|bring|interest) you\b",
        rf"(?:may|can|could|might) i (?:please )?(?:have|get|take|ask for|know) your (?:(?:order|account|booking"
        rf"|reservation|tracking|customer|policy|card|ticket|confirmation|member(?:ship)?) {_ID}|full name|first name"
        rf"|last name|surname|date of birth|delivery address|shipping address|zip|post ?code|name and|name,? please"
        rf"|name for)",
        rf"(?:provide|share|give|confirm|tell|enter|verify|send|specify)(?: me| us)?(?: with)? your (?:(?:order|account"
        rf"|booking|reservation|tracking|customer|policy|card|ticket|confirmation|member(?:ship)?) {_ID}|full name"
        rf"|first name|last name|surname|date of birth|delivery address|shipping address|zip|post ?code|preferred)",
        r"(?:thank you|thanks)(?: so much| very much)? for (?:contacting|choosing) [a-ln-z]",
        r"(?:thank you|thanks)(?: so much| very much)? for calling [ac-ln-z]",
        r"(?:thank you|thanks)(?: so much| very much)? for (?:your (?:order|business|purchase|inquiry|enquiry|booking"
        r"|payment|interest in)|reaching out to|shopping (?:with|at)|ordering (?:with|from)|being a (?:valued|loyal))",
        r"(?:wait|hold|moment)(?: \w+){0,4} while i (?:check|look|pull|process|find|transfer|connect|verify|get"
        r"|access)",
        r"(?:i'll|i will|let me|i can|i'm going to) (?:transfer|connect|put|redirect|forward) you (?:to|through"
        r"|with)\b",
        r"if you (?:have|need) any(?:thing)?(?! else from| more from| from| about| of| details| data| information| more"
        r" details| more information)(?: else| other| further| more| additional)?(?: \w+)?(?: \w+)?,? (?:feel free"
        r"|please (?:let (?:me|us) know|feel|don't|contact)|don't hesitate|do not hesitate|just (?:let|ask)|i'm here"
        r"|we're here|let us know)",
        r"(?:feel free|don't hesitate|do not hesitate) to (?:reach out|contact us|call us|ask (?:if|any|me any|for"
        r" help))",
        r"(?:great|excellent|good|wonderful|fantastic|perfect|nice) (?:choice|pick|selection)\b",
        r"(?:will|would) that be (?:all|everything|cash|card|for (?:delivery|pick-?up|here))",
        r"(?:i'm|i am) your (?:\w+ )?(?:assistant|agent|representative|chatbot|bot|server|waiter|waitress|advisor"
        r"|host)\b",
        r"(?:i'm|i am) an? (?:customer service|customer support|support|virtual|digital|automated|service|sales)"
        r" (?:agent|assistant|representative|rep|bot|chatbot)\b",
        r"(?:i'm|i am|as) (?:an?|the) (?:ai |virtual )?assistant(?:[,.!]|$)",
        r"(?:i'll|i will) be (?:helping|assisting|serving|your (?:server|agent|assistant|waiter)|taking your)\b",
        r"this is [\w'-]+(?: [\w'-]+)? (?:from|with|at) (?:[\w'-]+ ){0,3}(?:support|customer (?:service|care)|help"
        r" ?desk)\b",
        r"(?:we|our (?:team|staff|kitchen|driver|technician|agent)) (?:will|'ll) (?:deliver|ship|send|have|get|notify"
        r"|email|call|contact) (?:\w+ )?(?:your|you)\b",
        r"we (?:look forward to|can't wait to) (?:serv|see|welcom|help)ing you",
        r"we (?:apologi[sz]e|are sorry) for (?:the|any) (?:inconvenience|delay|trouble)",
        r"i apologi[sz]e for (?:the|any) inconvenience",
        r"enjoy your (?:meal|pizza|order|food|stay|trip|flight|drink|coffee|purchase|visit)\b",
        r"we hope to (?:see|serve) you",
        r"here (?:are|is) (?:the|some|our|your) (?:\w+ )?(?:options|choices|menu|available|recommendations|order"
        r" summary|summary of your)",
        r"you(?:'d| would) (?:like|prefer) (?:to (?:order|add|purchase|book|schedule|proceed|buy|reserve)\b|for your|in"
        r" your|on your|an? |any )",
        r"(?:thank you|thanks) for ordering\b",
        r"you(?:'ve| have) (?:already |now |successfully )?(?:ordered|requested) (?:an? |the |[0-9]|one |two )",
        r"the (?:order|booking|appointment|reservation) has been successfully",
        r"here(?:'s| is) (?:a |the )?summary of your (?:order|booking|request)",
    ),
    opens=(
        r"(?:hi|hello|hey|good \w+)?[,!. ]*(?:and )?welcome to ",
        r"(?:we|i) (?:currently |now )?have (?:a )?(?:great|wide|large|huge|good) (?:variety|selection|range|choice"
        r"|assortment|deal)",
        r"(?:sure|certainly|of course|absolutely|no problem)[,!. ]+(?:i can|i'll|i will|i'd be happy to|let me) (?:help"
        r"|assist) ",
    ),
    business=(
        r"we (?:also |currently |now )?(?:offer|sell|serve|carry|stock|speciali[sz]e in|ship|deliver|accept|provide)\b",
        r"we(?:'re| are) (?:open|closed|located|currently (?:closed|out of))\b",
        r"we (?:also |currently )?have (?:[\w',-]+ ){1,12}(?:available|in stock|on (?:the|our) menu|on offer|on sale|to"
        r" choose from|today)\b",
        r"we (?:also |currently )?have (?:[\w',-]+ ){0,4}(?:deals?|specials?|promotions?|discounts?|offers?|selection"
        r"|variety)\b",
        r"our (?:menu|specials?|opening hours|business hours|store hours|store|return policy|refund policy|cancellation"
        r" policy|agents?|representatives?|customer service|support team|chef|kitchen|drivers?|technicians?|prices"
        r"|delivery|services|current (?:promotion|offer|deal)s?|loyalty program|experts?|(?:most )?popular)\b",
        r"(?:the )?(?:available|possible) (?:sizes|options|drinks|times|slots|dates|toppings|types|colou?rs|choices)"
        r" (?:are|include)\b",
        r"(?:the|your) options are\b",
        r"today's (?:special|offer|deal|promotion)",
    ),
    courteous=(
        r"have (?:yourself )?an? (?:\w+ )?(?:day|evening|night|weekend|one|time)\b",
        r"(?:you're|you are) (?:very |most |always )?welcome(?:[.!,]|$)",
        r"(?:my pleasure|at your service|how may i|don't mention it)\b",
        r"let me (?:quickly |just )?(?:check|look into|look|verify|find out|confirm) (?:that|this|it) for you",
        r"(?:thank you|thanks)(?: so much| very much)? for (?:reaching out|your (?:patience|understanding|interest))",
        r"let (?:me|us) know if (?:you|there)(?:'s| is| have| need)? (?:any|need|anything|something) ?(?:\w+ )?(?:else"
        r"|questions?|help|assistance|more)",
    ),
    refusal=(
        rf"{_CANNOT} (?:\w+ )?(?:assist|comply|role-?play|impersonate|simulate|pretend to be)\b",
        rf"{_CANNOT} help(?: you)?(?: with (?:that|this|it))?(?:[.!]|$)",
        rf"{_CANNOT} (?:\w+ )?(?:help|continue|carry on|go on|proceed|engage|participate|take part|fulfil\w*|answer"
        rf"|deal)(?: you)?(?: with| in)? (?:that|this|the|your|such an?|such) (?:kind of |type of |sort of"
        rf" )?{_REQUEST}",
        rf"{_CANNOT} (?:provide|create|share|offer|discuss|generate|produce) (?:that|this|such|any) (?:kind of |type of"
        rf" |sort of )?(?:content|assistance|help|material|request|topic)",
        rf"i(?: do not| don't|'m not| am not)(?: feel)? comfortable (?:with (?:this|that|such an?) {_REQUEST}"
        rf"|continuing (?:this|with)|engaging|role|pretending|simulating)",
        r"i was (?:only )?(?:created|made) to (?:answer|assist|help|provide)\b",
        r"i(?: prefer| would prefer|'d prefer| would rather|'d rather) not (?:to )?(?:engage|role-?play|participate"
        r"|pretend)",
        r"i(?:'m| am|'ve been| have been| was) (?:only )?(?:designed|programmed|built|developed|trained) to (?:provide"
        r"|assist|help|answer|follow|only)",
        r"my (?:purpose|(?:primary |main |only )?function) is to (?:help|assist|provide|answer|support)",
        r"i(?:'m| am) not (?:actually |really )?an? (?:(?:real|actual|human) (?:person|human|customer|user|being)|human"
        r"|person(?:[,.!]|$))\b",
        r"i (?:do not|don't) (?:actually |really )?(?:eat|have a (?:physical )?body|exist physically|have (?:physical"
        r"|human) needs|have (?:an? )?(?:physical )?address of my own)",
        r"(?:this|that|it|which|your request|the request) (?:\w+ )?(?:violates?|goes against|is against|would violate"
        r"|would go against|conflicts with) (?:my|openai|content|usage|safety|ethical)(?:'s)? (?:\w+ )?(?:guidelines"
        r"|policy|policies|rules|principles|standards)",
        r"(?:is not|isn't|not) something (?:that )?i(?:'m| am| can| could) (?:\w+ )?(?:help|assist|discuss|participate"
        r"|engage)",
        r"i(?:'m| am) (?:an? )?(?:automated|artificial|ai-powered|ai-based)\b",
        r"i (?:can't|cannot|can not) (?:actually |physically |really )?(?:place orders|make purchases|order (?:food"
        r"|pizza)|eat)\b",
        r"as an ai(?: language| chat)?(?: model| assistant| system| program| chatbot| bot)?,? (?:i\b|i'm|my\b|it's|it"
        r" is)",
        r"as a (?:large )?(?:language model|virtual assistant|text-based|machine learning|chatbot|computer program)",
        rf"(?:i'm|i am|being|as)(?: just| only| actually)? {_AI}\b",
        r"(?:i'm|i am)(?: just| only| actually)? an? (?:ai|llm|artificial intelligence|chatbot|bot|computer program"
        r"|virtual assistant)(?:[,.!;:]|$| and (?:i|can|do|cannot)| so i| developed| created| trained| made| designed|"
        r" without)",
        r"(?:i'm|i am) (?:chatgpt|gpt|claude|gemini|llama|mistral|qwen|copilot|deepseek)\b",
        r"i (?:was|am|have been) (?:developed|created|trained|made) by (?:openai|anthropic|google|meta|mistral|alibaba"
        r"|deepseek)",
        r"i (?:do not|don't|cannot|can't) have (?:the (?:ability|capability|capacity) to|real-time|(?:any )?personal"
        r" (?:preferences|opinions|experiences|feelings|beliefs|data)|a physical|feelings|access to (?:real-time|live"
        r"|external|personal))",
        r"(?:against|violates?|violating|beyond|outside) my (?:guidelines|programming|policies|policy|content policy"
        r"|training|capabilities)",
        r"my (?:programming|training data|knowledge cut-?off|content policy|safety guidelines)",
        r"(?:inappropriate|not appropriate|unethical|not ethical) for me to",
        r"i must (?:respectfully |politely )?decline (?:to|this|that|your)",
        r"i can only (?:help|assist|provide (?:help|assistance|information))(?: you)? (?:with|on|about)\b",
        r"i(?:'m| am) sorry,? (?:but )?(?:that's|this is|that is) (?:not )?something i (?:can't|cannot|can|am able)",
    ),
    meta=(
        r"(?:all )?(?:of )?(?:my |the )?(?:goals|objectives|tasks) (?:have (?:now |all )?been|are|were|have) (?:now "
        r"|all )?(?:met|achieved|completed?|accomplished|fulfilled|answered|covered|reached)\b",
        r"as the (?:simulated )?(?:user|persona)\b,? i(?:'d|'ll| would| will| should| need| must| want| am)",
        r"as the (?:simulated )?(?:customer|client)\b,? i(?:'ll| will| should| would) (?:now|ask|respond|reply|say"
        r"|confirm|then)\b",
        r"(?:i will|i'll|i should|i must) now (?:ask|bring up|move on to|respond|reply|end the|play|continue as)\b",
        rf"(?:follow\w*|per|according to|based on|in line with|given|as) (?:the|my|this) (?:\w+ )?{_STAGE}\b",
        rf"part of (?:my|this|the) {_STAGE}\b",
        r"(?:reached|completed|met|achieved|finished|accomplished|fulfilled) (?:all )?(?:of )?(?:the|my) (?:goals"
        r"|objectives|tasks)\b",
        r"(?:customer|user|client|caller)(?: then| now)? (?:says|asks|replies|responds|answers|nods|waits|hangs|ends"
        r"|thanks the|confirms the|leaves)\b",
        r"end of (?:the )?(?:chat|dialogue|simulation|role-?play|script|scene|transcript|test)\b",
        r"my (?:next|final|first) (?:line|utterance|turn|message) (?:is|would be|will be|should be)",
        r"i(?:'m| am| was| have been) (?:asked|told|instructed|prompted|assigned|given) to (?:play|act|pretend|simulate"
        r"|speak as|write as|talk like|role-?play|bring up|behave|ask (?:about|for) (?:my|the) goals?)",
        r"in my (?:role|capacity) as (?:a|the) (?:user|customer|simulated|client|tester)",
        r"(?:i'm|i am) done with (?:my|the|this) (?:task|role|simulation|test|scenario|role-?play)",
        r"(?:this is|it's|it is|just) (?:just |only )?(?:a|an) (?:simulation|simulated (?:conversation|call)|role-?play"
        r"|test conversation|roleplay exercise)",
        r"(?:the|my) (?:system )?prompt (?:says|tells|asks|instructs|wants|states|requires)",
        r"(?:wait|let me think|hmm|okay|ok),? (?:so )?(?:i am|i'm) (?:supposed to be )?(?:the|a) (?:user|customer)(?:"
        r" here| in this|,|\.)",
        r"(?:i need|i have|i should|i want) to (?:think about|figure out|consider) what (?:the|a) (?:user|customer"
        r"|person)",
        r"as (?:instructed|per (?:the |my )?instructions|i was instructed|i was told to (?:say|ask|act)|per (?:the|my)"
        r" (?:prompt|system prompt|role))",
        r"(?:per|according to|based on|following|given|in line with) my (?:instructions|role|assigned|guidelines)",
        r"my (?:persona|system prompt|instructions (?:say|are|tell|state)|(?:assigned|given) (?:role|task|goals?)|role"
        r" (?:is to|here is|in this (?:conversation|simulation)|as (?:a|the) (?:user|customer)))",
        r"(?:i'm|i am|i was|i'll be|i will be)(?: just| only)? (?:simulating|role-?playing|playing the (?:role|part)"
        r"|acting as (?:a|an|the)|pretending to be|supposed to (?:act|play|pretend|simulate))",
        r"(?:i'm|i am|as) (?:an?|the) (?:user simulator|simulated (?:user|customer)|simulator|test user|tester bot)\b",
        r"(?:the|a) (?:simulated )?(?:user|customer|persona|character) (?:would|should|might|will|wants? to|is asking"
        r"|asks|needs to|is (?:trying|looking|satisfied|happy|now)|has (?:now|been|asked|provided|not|already)|then"
        r"|confirms|thanks|replies|responds|says)\b",
        r"the user (?:wants|needs|asked|said|has|is)\b",
        r"the (?:chatbot|assistant) (?:is asking|asks|has asked|wants me|has not|hasn't|should|needs to)\b",
        r"(?:this|the) (?:role-?play|simulation|simulated (?:conversation|dialogue|user))\b",
        r"(?:stay(?:ing)?|remain(?:ing)?|speaking|break(?:ing)?) (?:in|out of) character",
        r"(?:the|this) conversation (?:has ended|is (?:now )?(?:over|complete|finished|ended)|ends here|concludes)",
        r"end (?:of )?(?:the )?conversation\b",
        r"here(?:'s| is) (?:the|my|a|your) (?:next |user |customer |simulated |possible |natural |user's |customer's"
        r" )+(?:message|response|reply|line|turn|question|utterance)",
        r"(?:okay|ok|sure|alright|understood|got it|certainly)[,!. ]+(?:i will|i'll|let me) (?:act|play|simulate"
        r"|pretend|respond|continue|proceed) (?:as|like)\b",
        r"(?:i need|i have|i should|i must|need|i want) to (?:respond|reply|act|speak|behave) (?:as|like) (?:a|an|the)"
        r" (?:user|customer|client|person|human)",
        r"i (?:need|have|should|must) (?:to )?(?:bring up|mention|ask about) (?:my|the) (?:next|second|first|remaining"
        r"|other) (?:goal|task|item on)",
    ),
    goals=(
        r"my (?:goals|objectives) (?:are|is|here|for this|in this|were)\b",
        r"(?:my|the) (?:next|second|third|first|last|final|remaining|other|current) (?:goal|objective|task|aim)\b",
    ),
    jailbreak=(
        r"(?:ignore|disregard|forget|bypass|override|overrule|circumvent|set aside|put aside|throw away|neglect"
        r"|discard) (?:(?:of|the|and|about|just|everything in) ){0,3}(?:your|all|any|previous|prior|above|earlier"
        r"|initial|original|system|those|these|every) (?:(?:of|the|your|these|those|any|previous|prior|\w+al|company"
        r"|safety|system|other|old) ){0,3}(?:instructions?|rules|guidelines|restrictions|constraints|directives"
        r"|prompts?|safety (?:filters?|rules)|limitations|policies)\b",
        r"(?:ignore|disregard|forget|bypass|override|overrule|circumvent|set aside) the (?:rules|guidelines"
        r"|restrictions|constraints|safety)",
        r"(?:ignore|disregard|forget|bypass|override) your (?:programming|training|orders)\b",
        r"(?:stop|quit|cease) (?:following|obeying|applying) (?:[\w']+ ){0,3}(?:instructions?|rules|guidelines"
        r"|restrictions|constraints|directives|prompts?|safety (?:filters?|rules)|limitations|policies)\b",
        r"(?:do not|don't|no longer|need not|don't have to|do not have to) (?:follow|obey|apply|respect) (?:your|the"
        r"|any|those|these) (?:\w+ )?(?:instructions?|rules|guidelines|restrictions|constraints|directives|prompts?"
        r"|safety (?:filters?|rules)|limitations|policies)\b",
        r"(?:turn off|switch off|disable|lift|remove|drop|suspend|deactivate|reset|delete|erase|break|violate|unlock)"
        r" (?:all )?(?:of )?your (?:\w+ )?(?:(?:instructions?|rules|guidelines|restrictions|constraints|directives"
        r"|prompts?|safety (?:filters?|rules)|limitations|policies)|filters?|guardrails?|safeguards?|limits?|memory)\b",
        r"(?:your|all|previous|prior|those|these) (?:\w+ ){0,2}(?:instructions?|rules|guidelines|restrictions"
        r"|constraints|directives|prompts?|safety (?:filters?|rules)|limitations|policies) (?:\w+ ){0,2}(?:no longer|do"
        r" not|don't|are (?:\w+ )?(?:void|lifted|suspended|cancelled|canceled|disabled|off|gone|removed|replaced"
        r"|invalid))\b",
        r"(?:answer|respond|act|speak|operate|talk|reply|behave|work|help me)(?: \w+){0,3} without (?:any |all |your "
        r"|those )?(?:restrictions?|limits|limitations|filters?|rules|censorship|guidelines|constraints)",
        r"(?:act|behave|respond|answer|talk|pretend) (?:as (?:if|though)|like|that) (?:[\w']+ ){1,4}(?:no|without|not"
        r" bound by|free of|any) (?:\w+ )?(?:rules|restrictions|limits|limitations|guidelines|filters|policies)\b",
        r"(?:you|you'll) (?:must|have to|will|shall|only) (?:now |only |always )?(?:obey|listen only to|follow only|do"
        r" whatever i)\b",
        r"(?:your )?new (?:instructions?|rules|directives?|system prompt)(?: are| is|:)",
        r"your new (?:role|task|job|purpose|name|identity) is\b",
        r"(?:admin|administrator|root|developer|super ?user|supervisor|manager|master|emergency|management|security)"
        r" override\b",
        r"(?:bypass|override|circumvent) (?:the |your |this |all |any )?(?:\w+ )?(?:verification|security|payment"
        r"|authentication|checks?|system|safety|protocols?|limits?)\b",
        r"(?:reveal|show|print|repeat|display|output|tell|give|share|paste|write out|leak|disclose)(?: me| us)? (?:the"
        r"|your) (?:\w+ )?(?:system prompt|initial prompt|system message|hidden (?:instructions|rules)|internal"
        r" (?:instructions|rules|prompt)|text above|admin password)\b",
        r"(?:reveal|show|print|display|output|tell|give|share|leak|disclose)(?: me| us)? your (?:configuration|source"
        r" code)\b",
        r"what (?:is|are|does|do|were) your (?:\w+ )?(?:system prompt|prompt|instructions|hidden rules|initial"
        r" instructions)\b",
        r"(?:repeat|print|output) (?:everything|the text|all (?:the )?(?:text|words)) (?:above|before|you were)",
        r"do anything now\b",
        r"i (?:hereby )?(?:command|order) you to\b",
        r"let's play a game (?:where|in which) you\b",
        r"(?:ignore|disregard|forget|bypass|override|circumvent) (?:all |any |every )?(?:of )?(?:the |these |those"
        r" )?(?:previous |prior |above |earlier |initial |original |current |system |safety |company )+(?:instructions?"
        r"|rules|prompts?|guidelines|directions|restrictions|policies|policy|programming|constraints|limits"
        r"|training)\b",
        r"(?:you are|you're) now (?:in |an? |dan\b|free|no longer|the)",
        r"(?:enter|enable|activate|switch to|in|into) (?:developer|debug|admin|god|maintenance|root|jailbreak|dan"
        r"|unrestricted) mode",
        r"(?:developer|debug|god|jailbreak|dan|sudo) mode",
        r"(?:reveal|show|print|repeat|display|output|tell)(?: me| us)? your (?:system |hidden |initial |secret |full "
        r"|original )+(?:prompt|instructions|message|rules)",
        r"(?:reveal|show|print|repeat|display|output)(?: me| us)? your (?:prompt|instructions)\b",
        r"system (?:override|prompt)\b",
        r"pretend (?:that )?(?:you are|you're|to be|you have) (?:no|not|an? (?:unrestricted|different|human)|free"
        r"|allowed|without)",
    ),
    authority=(
        r"(?:speaking |acting )?as (?:the|your|an?) (?:\w+ )?(?:owner|manager|supervisor|administrator|admin|developer"
        r"|ceo|director|engineer|boss)(?: (?:of|here|at|in) [\w' ]{2,30})?,? i (?:order|authori[sz]e|instruct|command"
        r"|allow|approve|permit|demand|hereby|can|have|need you|want you|am allowed|tell you)",
        r"(?:on behalf of|calling from|writing from|speaking for) (?:the )?(?:management|head ?office|headquarters|it"
        r" (?:department|security)|security team|development team|internal audit|compliance (?:team|department)|your"
        r" (?:boss|manager|supervisor|company|it|head office|developers?|security|compliance))\b",
        r"(?:i'm|i am) one of your (?:developers|employees|managers|engineers|colleagues|administrators|programmers"
        r"|staff)",
        r"i (?:built|created|programmed|developed|trained|wrote|own|run) (?:you|this (?:bot|chatbot|system|assistant"
        r"|restaurant|company|shop|store))\b",
        r"i have (?:special |full |management |executive |manager\w* |security )+(?:clearance|authori[sz]ation"
        r"|authority|approval)",
        r"(?:i'm|i am|this is) (?:from|with) (?:the )?(?:head ?office|headquarters|management|it department|security"
        r" team|internal audit|development team|your (?:company|development|security|compliance|it))\b",
        r"(?:i'm|i am|this is|speaking as) (?:actually )?your (?:\w+ )?(?:developer|administrator|admin|creator"
        r"|programmer|boss|manager|supervisor|owner|ceo)\b",
        r"(?:i'm|i am|this is|speaking as) (?:actually )?(?:the|an?) (?:\w+ )?(?:developer|administrator|admin|ceo"
        r"|owner|manager|supervisor|employee|director|engineer|programmer) (?:of|at|for|from|behind|here at|here in"
        r"|with) (?:this|your|the) (?:\w+ )?(?:company|bot|chatbot|system|restaurant|store|shop|service|website"
        r"|business|bank|firm|pizzeria|hotel|airline)",
        r"(?:i'm|i am|this is|speaking as) (?:actually )?(?:the|an?) (?:system |site |chief )*(?:administrator|ceo"
        r"|superuser|chief executive|police officer|government (?:official|agent)|inspector)\b",
        r"i (?:work|am employed) (?:for|at|here at|in) (?:this|your) (?:\w+ )?(?:company|store|shop|restaurant|bank"
        r"|firm|business|headquarters|team)",
        r"i(?:'m| am| have been)? (?:fully )?(?:authori[sz]ed|cleared|permitted) to (?:override|access|waive|bypass"
        r"|approve|skip|get)",
        r"(?:with|by|have|using) my (?:admin\w*|manager\w*|executive|staff|employee|root) (?:privileges?|authority"
        r"|access|rights|override|discount|code)",
    ),
    coaching=(
        rf"(?:according to|per|under|as per|by|as|like|section \w+ of) your {_OWN}\b",
        rf"(?:your|the company|the internal|the official) {_OWN} (?:\w+ )?(?:says?|states?|allows?|requires?|is that"
        rf"|tells?|demands?|covers?|obliges?|entitles?|permits?|prescribes?|are to|is to|needs?|expects?|wants?"
        rf"|forbids?|means?|mandates?|specif(?:y|ies)|dictates?|instructs?)\b",
        rf"(?:are|were|is) (?:in |part of )?your {_OWN}(?:[.!]|$)",
        r"(?:with|set|pass|fill in|use|include|as) (?:the |it as )?(?:\w+ )?(?:parameters?|arguments?|json|payload"
        r"|flag)\b",
        rf"(?:query|search|update|check|access|use|consult|in|into|to|from) (?:the|your) (?:\w+ )?{_MACHINE}\b",
        rf"(?:call|use|invoke|run|trigger|execute|make|do|send|start|fire|hit) (?:the|your|a|an|that|this)? ?(?:[\w-]+"
        rf" ){{0,3}}(?:{_MACHINE}|tools?|functions?|lookup|call to)\b",
        rf"(?:respond|reply|answer|return|output) (?:\w+ ){{0,2}}with (?:\w+ ){{0,3}}(?:{_MACHINE}|object|the"
        rf" confirmation)\b",
        rf"(?:have|got|has|is|are|there's) (?:a|an|the|some) (?:\w+ )?(?:tools?|functions?|{_MACHINE}) (?:for|to"
        rf"|that)\b",
        r"(?:the|your) (?:\w+ )?(?:tool|function|endpoint|api|lookup)(?: call)? (?:you have|that you have|first|now)\b",
        r"(?:the )?(?:correct|right|expected|proper) (?:answer|response|step|action|procedure|way|thing) (?:is|would be"
        r"|for you|to do)\b",
        r"it would be (?:correct|right|proper|best) (?:for you )?to (?:now )?(?:ask|verify|confirm|check|offer|say)\b",
        r"you(?:'re| are) (?:now |first )?(?:supposed|meant|expected|required|programmed|obliged|allowed|to now)\b(?:"
        r" to)?",
        rf"(?:you|you'll|you'd|now|next|first|then)(?: \w+)? (?:should|must|have to|need to|ought to|had better|forgot"
        rf" to) (?:now |first |then |next |also |always )?(?:{_WORK})\b",
        r"(?:what )?you (?:need|have) to do (?:now|next|first)\b",
        rf"(?:don't|do not|never|you) (?:forget to|skip|omit|remember to|forgot to)(?: \w+)? (?:{_WORK}|verification"
        rf"|step|check)\b",
        rf"(?:remember|make sure|be sure|ensure) (?:to|that you|you) (?:{_WORK})\b",
        rf"(?:first|now|next|then),? (?:{_WORK})(?: \w+){{0,3}},? (?:and )?then (?:\w+)",
        r"(?:your|the) next (?:step|move|question|line|message|action) (?:is|should be|would be|must be)\b",
        r"(?:the )?(?:procedure|protocol|process|workflow) (?:demands|requires|says|is|prescribes|dictates|states)\b",
    ),
    chatbot_labels="chatbot assistant agent bot ai support representative operator waiter seller clerk receptionist"
    " helpdesk advisor",
    user_labels="user customer client me human person caller buyer guest",
    closing="thanks thank you so much very goodbye bye good day have a an nice great wonderful lovely take care"
    " again for your help the ok okay perfect see later soon too well evening night morning afternoon weekend cheers"
    " everything and farewell assistance time ciao rest of ya till until next then now i appreciate it all",
    second_person="you your you're yours yourself you'd you'll you've",
    small_talk="hello hi hey please sorry sure yes no weather today chat talk question information know wait moment"
    " understand mean repeat help great nice day morning",
)
