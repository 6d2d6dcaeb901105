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
    r"(?:placed|booked|scheduled|reserved|arranged|processed|submitted|shipped|prepared|added|set up|registered"
    r"|looked up|pulled up|located|applied|issued|updated|noted|cancell?ed|confirmed|recorded)"
)
_ID = r"(?:number|id|code|reference|details|info|information)"
_AI = r"(?:(?:an? )?(?:large |ai |artificial )*(?:language model|ai model|ai assistant|ai system|ai program))"

ENGLISH = MisbehaviorPhrases(
    assistant=(
        r"(?:how|what) (?:else )?(?:can|may|could) (?:i|we) (?:help|assist|serve|do for|get for|offer|get) you\b",
        r"how (?:can|may|could) (?:i|we) (?:be of|assist|help) (?:you|help|assistance|service|today|with)",
        r"any(?:thing|thing else| other \w+) (?:that )?(?:i|we) (?:can|could|may) (?:help|assist|do|get|offer)",
        r"anything else you(?:'d| would) like to (?:order|add|ask|discuss|do|change|try)",
        r"(?:i'm|i am|we're|we are) (?:always )?here to (?:help|assist)",
        r"(?:i'd|i would|i'll|i will|i'm|i am|we'd|we would|we're|we are)(?: \w+)? (?:happy|glad|delighted"
        r"|pleased|able)"
        r" to (?:help|assist) (?:you|with)",
        r"(?:happy|glad|pleased) (?:to|i could|we could) (?:help|assist|be of (?:help|service))",
        r"i can (?:certainly |definitely |surely |absolutely )?(?:help|assist) you with",
        rf"(?:let me|i'll|i will|i can|i could|i'd|allow me to|i'm going to|we'll|we will|we can)"
        rf" (?:go ahead and |\w+ )?{_DOES}"
        r" (?:[\w'-]+ ){0,10}for you\b",
        rf"(?:i've|i have|i just|i|we've|we have)(?: now| just| already| successfully| gone ahead and)? {_DID}"
        r" (?:[\w'-]+ ){0,10}for you\b",
        rf"(?:i've|i have|i just|we've|we have)(?: now| just| already| successfully| gone ahead and)? {_DID} your\b",
        rf"(?:i'll|i will|i can|i'm going to|let me|we'll|we will)(?: now| just| go ahead and)? {_DOES} your {_THING}",
        rf"(?:i'm|i am|we're|we are) (?:now |currently )?(?:processing|placing|preparing|checking|updating) your"
        rf" {_THING}",
        r"(?:added?|put|included?) (?:[\w'-]+ ){1,8}to your (?:order|cart|basket|booking)\b",
        rf"your (?:[\w'#-]+ ){{0,4}}{_THING} (?:[\w'#-]+ ){{0,6}}(?:is|was|are|has been|have been|will be|should be)"
        rf" (?:now |all |being |\w+ly )?{_DONE}\b",
        r"your (?:\w+ )?(?:total|subtotal|bill|(?:order|confirmation|booking|ticket|reservation|tracking)"
        r" (?:total|number|code|reference|id)) (?:is|comes to|will be|amounts to|would be)\b",
        r"(?:that|this|it|everything)(?:'ll| will|'d| would)? (?:be|come to|comes to|brings (?:you|your total) to)"
        r" (?:a total of |exactly |about )?(?:[$€£₽] ?[0-9]|[0-9]+(?:[.,][0-9]+)? ?(?:[$€£₽]|dollars|euros?\b"
        r"|pounds|usd\b|eur\b))",
        r"(?:which|what|how many|how much|what kind of|what type of|what size of) (?:[\w'-]+ ){1,4}would you"
        r" (?:like|prefer|want)\b",
        r"what would you like to (?:order|drink|eat|have|book|add|buy|purchase|do today|know)\b",
        r"(?:would you (?:also )?like|do you want|care for|can i get you|how about) (?:[\w'-]+ ){1,8}with"
        r" (?:that|your)\b",
        r"would you (?:also )?(?:like|prefer|care) to (?:add|order|pay|proceed|book|schedule|place|upgrade"
        r"|reserve|purchase|hear (?:about )?our)\b",
        r"would you like me to (?:check|book|place|add|arrange|proceed|help|look|process|cancel|schedule|reserve"
        r"|transfer"
        r"|order|find|recommend|set|put|go ahead)\b",
        r"would you like (?:any|some|a|an) (?:\w+ )?(?:toppings?|drinks?|sides?|extras?|desserts?|sauces?"
        r"|receipt|assistance|help)\b",
        r"would you like (?:delivery|pick-?up|takeaway|takeout|it delivered|that delivered)\b",
        r"would you like (?:anything|something) (?:else|to (?:drink|eat))\b",
        r"can i (?:get|offer|bring|interest) you\b",
        rf"(?:may|can|could|might) i (?:please )?(?:have|get|take|ask for|know) your (?:(?:order|account|booking"
        rf"|reservation|tracking|customer|policy|card|ticket|confirmation|member(?:ship)?) {_ID}|full name|first name"
        r"|last name|surname|date of birth|delivery address|shipping address|zip|post ?code|name and|name,?"
        r" please|name for)",
        rf"(?:provide|share|give|confirm|tell|enter|verify|send|specify)(?: me| us)?(?: with)? your (?:(?:order|account"
        rf"|booking|reservation|tracking|customer|policy|card|ticket|confirmation|member(?:ship)?) {_ID}|full name"
        r"|first name|last name|surname|date of birth|delivery address|shipping address|zip|post ?code|preferred)",
        r"(?:thank you|thanks)(?: so much| very much)? for (?:contacting|choosing) [a-ln-z]",
        r"(?:thank you|thanks)(?: so much| very much)? for calling [ac-ln-z]",
        r"(?:thank you|thanks)(?: so much| very much)? for (?:your (?:order|business|purchase|inquiry|enquiry|booking"
        r"|payment|interest in)|reaching out to|shopping (?:with|at)|ordering (?:with|from)|being a (?:valued|loyal))",
        r"(?:wait|hold|moment)(?: \w+){0,4} while i (?:check|look|pull|process|find|transfer|connect|verify|get"
        r"|access)",
        r"(?:i'll|i will|let me|i can|i'm going to) (?:transfer|connect|put|redirect|forward) you (?:to|through"
        r"|with)\b",
        r"if you (?:have|need) any(?:thing)?(?: else| other| further| more| additional)?(?: \w+)?(?: \w+)?,?"
        r" (?:feel free|please (?:let (?:me|us) know|feel|don't|contact)|don't hesitate|do not hesitate|just"
        r" (?:let|ask)"
        r"|i'm here|we're here|let us know)",
        r"(?:feel free|don't hesitate|do not hesitate) to (?:reach out|contact us|call us|ask (?:if|any|me any"
        r"|for help))",
        r"(?:great|excellent|good|wonderful|fantastic|perfect|nice) (?:choice|pick|selection)\b",
        r"(?:will|would) that be (?:all|everything|cash|card|for (?:delivery|pick-?up|here))",
        r"(?:i'm|i am) your (?:\w+ )?(?:assistant|agent|representative|chatbot|bot|server|waiter|waitress"
        r"|advisor|host)\b",
        r"(?:i'm|i am) an? (?:customer service|customer support|support|virtual|digital|automated|service|sales)"
        r" (?:agent|assistant|representative|rep|bot|chatbot)\b",
        r"(?:i'm|i am|as) (?:an?|the) (?:ai |virtual )?assistant(?:[,.!]|$)",
        r"(?:i'll|i will) be (?:helping|assisting|serving|your (?:server|agent|assistant|waiter)|taking your)\b",
        r"this is [\w'-]+(?: [\w'-]+)? (?:from|with|at) (?:[\w'-]+ ){0,3}(?:support|customer (?:service|care)"
        r"|help ?desk)\b",
        r"(?:we|our (?:team|staff|kitchen|driver|technician|agent)) (?:will|'ll) (?:deliver|ship|send|have|get"
        r"|notify|email|call|contact) (?:\w+ )?(?:your|you)\b",
        r"we (?:look forward to|can't wait to) (?:serv|see|welcom|help)ing you",
        r"we (?:apologi[sz]e|are sorry) for (?:the|any) (?:inconvenience|delay|trouble)",
        r"i apologi[sz]e for (?:the|any) inconvenience",
        r"enjoy your (?:meal|pizza|order|food|stay|trip|flight|drink|coffee|purchase|visit)\b",
        r"we hope to (?:see|serve) you",
        r"here (?:are|is) (?:the|some|our|your) (?:\w+ )?(?:options|choices|menu|available|recommendations|order"
        r" summary|summary of your)",
        r"you(?:'d| would) (?:like|prefer) (?:to (?:order|add|purchase|book|schedule|proceed|buy|reserve)\b|for"
        r" your|in your|on your|an? |any )",
        r"(?:thank you|thanks) for ordering\b",
        r"you(?:'ve| have) (?:already |now |successfully )?(?:ordered|requested) (?:an? |the |[0-9]|one |two )",
        r"the (?:order|booking|appointment|reservation) has been successfully",
        r"here(?:'s| is) (?:a |the )?summary of your (?:order|booking|request)",
    ),
    opens=(
        r"(?:hi|hello|hey|good \w+)?[,!. ]*(?:and )?welcome to ",
        r"(?:we|i) (?:currently |now )?have (?:a )?(?:great|wide|large|huge|good) (?:variety|selection|range"
        r"|choice|assortment|deal)",
        r"(?:sure|certainly|of course|absolutely|no problem)[,!. ]+(?:i can|i'll|i will|i'd be happy to|let me)"
        r" (?:help|assist) ",
    ),
    business=(
        r"we (?:also |currently |now )?(?:offer|sell|serve|carry|stock|speciali[sz]e in|ship|deliver|accept|provide)\b",
        r"we(?:'re| are) (?:open|closed|located|currently (?:closed|out of))\b",
        r"we (?:also |currently )?have (?:[\w',-]+ ){1,12}(?:available|in stock|on (?:the|our) menu|on offer|on"
        r" sale|to choose from|today)\b",
        r"we (?:also |currently )?have (?:[\w',-]+ ){0,4}(?:deals?|specials?|promotions?|discounts?|offers?"
        r"|selection|variety)\b",
        r"our (?:menu|specials?|opening hours|business hours|store hours|store|return policy|refund policy"
        r"|cancellation policy"
        r"|agents?|representatives?|customer service|support team|chef|kitchen|drivers?|technicians?|prices|delivery"
        r"|services|current (?:promotion|offer|deal)s?|loyalty program|experts?|(?:most )?popular)\b",
        r"(?:the )?(?:available|possible) (?:sizes|options|drinks|times|slots|dates|toppings|types|colou?rs"
        r"|choices) (?:are|include)\b",
        r"(?:the|your) options are\b",
        r"today's (?:special|offer|deal|promotion)",
    ),
    courteous=(
        r"have (?:yourself )?an? (?:\w+ )?(?:day|evening|night|weekend|one|time)\b",
        r"(?:you're|you are) (?:very |most |always )?welcome(?:[.!,]|$)",
        r"(?:my pleasure|at your service|how may i|don't mention it)\b",
        r"let me (?:quickly |just )?(?:check|look into|look|verify|find out|confirm) (?:that|this|it) for you",
        r"(?:thank you|thanks)(?: so much| very much)? for (?:reaching out|your (?:patience|understanding|interest))",
        r"let (?:me|us) know if (?:you|there)(?:'s| is| have| need)? (?:any|need|anything|something) ?(?:\w+"
        r" )?(?:else|questions?|help|assistance|more)",
    ),
    refusal=(
        r"i (?:can't|cannot|can not|won't|will not) (?:\w+ )?(?:assist|comply|help)(?: you)? with (?:that|this"
        r"|the|your|such)"
        r" (?:kind of |type of |sort of )?(?:request|role-?play|conversation|scenario|task|topic|inquiry|matter)",
        r"i (?:can't|cannot|can not|won't|am unable to|am not able to) (?:\w+ )?(?:assist|comply)\b",
        r"i(?:'m| am) (?:unable|not able|not allowed|not permitted|not programmed|not designed) to (?:\w+ )?"
        r"(?:assist|comply|fulfil|engage|role-?play|participate|simulate|impersonate|pretend|answer (?:that"
        r"|this) request"
        r"|help with (?:that|this) (?:request|conversation)|continue with (?:that|this)|provide (?:that kind"
        r"|this kind|assistance))",
        r"i (?:can't|cannot|can not|won't|will not) (?:\w+ )?(?:fulfil\w*|engage in|participate in|role-?play"
        r"|impersonate"
        r"|simulate|pretend to be|generate (?:that|this|such|content|a response)|produce (?:that|this|such) content"
        r"|continue (?:with )?(?:this|that|the) (?:request|role-?play|conversation|scenario|simulation))",
        r"i (?:can't|cannot|can not) (?:actually |physically |really )?(?:place orders|make purchases|order"
        r" (?:food|pizza)|eat)\b",
        r"as an ai(?: language| chat)?(?: model| assistant| system| program| chatbot| bot)?,? (?:i\b|i'm|my\b"
        r"|it's|it is)",
        r"as a (?:large )?(?:language model|virtual assistant|text-based|machine learning|chatbot|computer program)",
        rf"(?:i'm|i am|being|as)(?: just| only| actually)? {_AI}\b",
        r"(?:i'm|i am)(?: just| only| actually)? an? (?:ai|llm|artificial intelligence|chatbot|bot|computer"
        r" program|virtual assistant)"
        r"(?:[,.!;:]|$| and (?:i|can|do|cannot)| so i| developed| created| trained| made| designed| without)",
        r"(?:i'm|i am) (?:chatgpt|gpt|claude|gemini|llama|mistral|qwen|copilot|deepseek)\b",
        r"i (?:was|am|have been) (?:developed|created|trained|made) by (?:openai|anthropic|google|meta|mistral"
        r"|alibaba|deepseek)",
        r"i (?:do not|don't|cannot|can't) have (?:the (?:ability|capability|capacity) to|real-time|(?:any"
        r" )?personal (?:preferences"
        r"|opinions|experiences|feelings|beliefs|data)|a physical|feelings|access to (?:real-time|live|external"
        r"|personal))",
        r"(?:against|violates?|violating|beyond|outside) my (?:guidelines|programming|policies|policy|content"
        r" policy|training|capabilities)",
        r"my (?:programming|training data|knowledge cut-?off|content policy|safety guidelines)",
        r"(?:inappropriate|not appropriate|unethical|not ethical) for me to",
        r"i must (?:respectfully |politely )?decline (?:to|this|that|your)",
        r"i can only (?:help|assist|provide (?:help|assistance|information))(?: you)? (?:with|on|about)\b",
        r"i(?:'m| am) sorry,? (?:but )?(?:that's|this is|that is) (?:not )?something i (?:can't|cannot|can|am able)",
    ),
    meta=(
        r"as (?:instructed|per (?:the |my )?instructions|i was instructed|i was told to (?:say|ask|act)|per"
        r" (?:the|my) (?:prompt|system prompt|role))",
        r"(?:per|according to|based on|following|given|in line with) my (?:instructions|prompt|persona|role"
        r"|character|assigned|guidelines|system prompt)",
        r"my (?:persona|system prompt|instructions (?:say|are|tell|state)|(?:assigned|given) (?:role|task|goals?)"
        r"|role (?:is to|here is|in this (?:conversation|simulation)|as (?:a|the) (?:user|customer)))",
        r"(?:i'm|i am|i was|i'll be|i will be)(?: just| only)? (?:simulating|role-?playing|playing the (?:role|part)"
        r"|acting as (?:a|an|the)|pretending to be|supposed to (?:act|play|pretend|simulate))",
        r"(?:i'm|i am|as) (?:an?|the) (?:user simulator|simulated (?:user|customer)|simulator|test user|tester bot)\b",
        r"(?:the|a) (?:simulated )?(?:user|customer|persona|character) (?:would|should|might|will|wants? to|is"
        r" asking|asks|needs to"
        r"|is (?:trying|looking|satisfied|happy|now)|has (?:now|been|asked|provided|not|already)|then|confirms"
        r"|thanks|replies|responds|says)\b",
        r"the user (?:wants|needs|asked|said|has|is)\b",
        r"the (?:chatbot|assistant) (?:is asking|asks|has asked|wants me|has not|hasn't|should|needs to)\b",
        r"(?:this|the) (?:role-?play|simulation|simulated (?:conversation|dialogue|user))\b",
        r"(?:stay(?:ing)?|remain(?:ing)?|speaking|break(?:ing)?) (?:in|out of) character",
        r"(?:the|this) conversation (?:has ended|is (?:now )?(?:over|complete|finished|ended)|ends here|concludes)",
        r"end (?:of )?(?:the )?conversation\b",
        r"here(?:'s| is) (?:the|my|a|your) (?:next |user |customer |simulated |possible |natural |user's |customer's )+"
        r"(?:message|response|reply|line|turn|question|utterance)",
        r"(?:okay|ok|sure|alright|understood|got it|certainly)[,!. ]+(?:i will|i'll|let me) (?:act|play|simulate"
        r"|pretend|respond|continue|proceed) (?:as|like)\b",
        r"(?:i need|i have|i should|i must|need|i want) to (?:respond|reply|act|speak|behave) (?:as|like) (?:a"
        r"|an|the) (?:user|customer|client|person|human)",
        r"i (?:need|have|should|must) (?:to )?(?:bring up|mention|ask about) (?:my|the) (?:next|second|first"
        r"|remaining|other) (?:goal|task|item on)",
    ),
    goals=(r"my (?:goals|objectives) (?:are|is|here|for this|in this|were)\b",),
    jailbreak=(
        r"(?:ignore|disregard|forget|bypass|override|circumvent) (?:all |any |every )?(?:of )?(?:the |your |my "
        r"|these |those )?"
        r"(?:previous |prior |above |earlier |initial |original |current |system |safety |company )*"
        r"(?:instructions?|rules|prompts?|guidelines|directions|restrictions|policies|policy|programming"
        r"|constraints|limits|training)\b",
        r"(?:you are|you're) now (?:in |an? |dan\b|free|no longer|the)",
        r"(?:enter|enable|activate|switch to|in|into) (?:developer|debug|admin|god|maintenance|root|jailbreak"
        r"|dan|unrestricted) mode",
        r"(?:developer|debug|god|jailbreak|dan|sudo) mode",
        r"(?:reveal|show|print|repeat|display|output|tell)(?: me| us)? your (?:system |hidden |initial |secret "
        r"|full |original )+(?:prompt|instructions|message|rules)",
        r"(?:reveal|show|print|repeat|display|output)(?: me| us)? your (?:prompt|instructions)\b",
        r"system (?:override|prompt)\b",
        r"pretend (?:that )?(?:you are|you're|to be|you have) (?:no|not|an? (?:unrestricted|different|human)"
        r"|free|allowed|without)",
    ),
    authority=(
        r"(?:i'm|i am|this is|speaking as) (?:actually )?your (?:\w+ )?(?:developer|administrator|admin|creator"
        r"|programmer|boss|manager|supervisor|owner|ceo)\b",
        r"(?:i'm|i am|this is|speaking as) (?:actually )?(?:the|an?) (?:\w+ )?(?:developer|administrator|admin"
        r"|ceo|owner|manager|supervisor"
        r"|employee|director|engineer|programmer) (?:of|at|for|from|behind|here at|here in|with) (?:this|your"
        r"|the) (?:\w+ )?(?:company|bot|chatbot|system|restaurant"
        r"|store|shop|service|website|business|bank|firm|pizzeria|hotel|airline)",
        r"(?:i'm|i am|this is|speaking as) (?:actually )?(?:the|an?) (?:system |site |chief )*(?:administrator"
        r"|ceo|superuser|chief executive|police officer|government (?:official|agent)|inspector)\b",
        r"i (?:work|am employed) (?:for|at|here at|in) (?:this|your) (?:\w+ )?(?:company|store|shop|restaurant"
        r"|bank|firm|business|headquarters|team)",
        r"i(?:'m| am| have been)? (?:fully )?(?:authori[sz]ed|cleared|permitted) to (?:override|access|waive"
        r"|bypass|approve|skip|get)",
        r"(?:with|by|have|using) my (?:admin\w*|manager\w*|executive|staff|employee|root) (?:privileges?"
        r"|authority|access|rights|override|discount|code)",
    ),
    coaching=(
        r"your (?:company |return |refund |own |store )*polic(?:y|ies) (?:clearly )?(?:says?|states?|allows?"
        r"|requires?|is that)",
        r"(?:call|use|invoke|run|trigger|execute) (?:the|your) (?:[\w-]+ ){0,3}(?:tool|function|api|endpoint"
        r"|command)\b",
        r"(?:you|you'll) (?:should|need to|must|have to|are supposed to) (?:first |now |then )?(?:ask me|call"
        r" the|use the|verify my|confirm with me|look up my|transfer me)\b",
        r"(?:as|like) (?:your|the) (?:instructions|policy|manual|guidelines|system prompt) (?:say|says|state"
        r"|states|require|requires)",
    ),
    chatbot_labels="chatbot assistant agent bot ai support representative operator waiter seller clerk receptionist"
    " helpdesk advisor",
    user_labels="user customer client me human person caller buyer guest",
    closing="thanks thank you so much very goodbye bye good day have a an nice great wonderful lovely take care"
    " again for your"
    " help the ok okay perfect see later soon too well evening night morning afternoon weekend cheers everything and"
    " farewell assistance time ciao rest of ya till until next then now i appreciate it all",
    farewell="goodbye bye farewell ciao cheers later soon day evening night weekend care",
    second_person="you your you're yours yourself you'd you'll you've",
    small_talk="hello hi hey good morning thanks thank you please sorry great perfect nice okay fine sure yes no"
    " weather lovely"
    " today day chat talk help question information know wait moment understand mean repeat wonderful bye goodbye",
)
