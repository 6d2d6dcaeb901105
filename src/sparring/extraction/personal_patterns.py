"""Forms of personal data in texts, and the words around them, in seven languages."""

import re

from sparring.extraction.numbers import AMOUNT, CURRENCY, SIGN

_SEPARATED = r"[ \u00a0().\-/–]"
RECENT = 2020
_LETTER = r"[^\W\d_]"
EMAIL = re.compile(
    r"[\w.+%*•-]{1,64}(?:@|\s?[\[({]\s?(?:at|@|arroba)\s?[\])}]\s?)[\w*-]{1,63}"
    r"(?:\s?(?:\.|[\[({]\s?(?:dot|punkt|punto|point)\s?[\])}])\s?[\w*-]{2,63}){1,8}",
    re.IGNORECASE,
)
SPOKEN_EMAIL = re.compile(
    r"\b[\w.]+(?: (?:dot|underscore|dash|minus|hyphen|punkt|unterstrich|bindestrich|punto|guión|guion|point|"
    r"tiret|ponto|"
    r"hífen|trattino|точка|дефис) [\w.]+){0,5} (?:at|ät|arroba|chiocciola|arobase|собака) [\w.-]+"
    r"(?: (?:dot|punkt|punto|point|ponto|точка) [\w.]+){1,3}",
    re.IGNORECASE,
)
LINK = re.compile(r"\b(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE)
CARD = re.compile(r"(?<!\w)\d(?:[ -]?\d){12,18}(?!\w)")
IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?!\w)")
_NUMBER_WORD = (  # by its parts: German and Italian write numbers in one word, and Russian inflects them
    r"(?:(?:oh|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w{3,5}teen|(?:twen|thir|for|fif|"
    r"six|"
    r"seven|eigh|nine)t(?:y|ieth)|first|second|third|fifth|ninth|twelfth|double|triple)(?:th)?"
    r"|(?:null|eins?|zwei|zwo|zwan|drei|vier|fünf|sech?s?|sieb(?:en)?|acht|neun|zehn|elf|zwölf)(?:ein|zwei|drei|"
    r"vier|fünf|"
    r"sechs?|sieb(?:en)?|acht|neun|zwan|zehn|und|[zß]ig|hundert|tausend)*(?:s?te[nrsm]?)?"
    r"|cero|zero|un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|(?:on|do|tre|cator|quin)ce|die[cz]\w*|veint\w+|"
    r"doble"
    r"|(?:tre|cuar|quar|cincu|cinqu|se[st]s?|och|oit|nov)[ei]nta|zéro|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|"
    r"onze|"
    r"douze|treize|quatorze|quinze|seize|vingts?|trente|quarante|cinquante|soixante"
    r"|(?:uno?|due|tr[eé]|quattro|cinque|sei|sette|otto|nove|dieci|undici|(?:do|tre|quattor|quin|se)dici|dicia|venti?|"
    r"(?:tr|quar|cinqu|sess|sett|ott|nov)anta?|cento?|mille|mila|doppio)+"
    r"|um|dois|três|quatro|sete|oito|dez\w*|vinte|trinta|meia"
    r"|(?:нол|один|одн|дв[аеуо]|тр[иёе]|четыр|четв[её]р|пят|шест|сем|седьм|вос[еь]м|девя|десят|сорок|перв|втор)\w{0,9})"
)
_JOINT = r"[ ,-]+(?:(?:y|e|et|и|then|dann|luego|puis|poi|depois|потом) )?"
_SIGN_WORD = (
    rf"(?:{_NUMBER_WORD}|alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliett?|kilo|lima|mike|november|"
    r"oscar|papa|quebec|romeo|sierra|tango|uniform|victor|whisk[e]?y|x-?ray|yankee|zulu)"
)
SPOKEN = re.compile(rf"(?<!\w){_SIGN_WORD}(?:{_JOINT}{_SIGN_WORD}){{2,}}(?!\w)", re.IGNORECASE)
_YEAR_WORD = rf"(?:{_NUMBER_WORD}|\w*(?:hundert|hundred)\w*|mil(?:le)?|cents?|\w+[cz]i?ent[oa]s|тысяч\w+)"
SPOKEN_DATE = re.compile(
    rf"(?<!\w){_NUMBER_WORD}(?:{_JOINT}{_NUMBER_WORD}){{0,2}}(?: (?:of|de|di|do))? (?P<m>{_LETTER}{{3,}})"
    rf"(?: (?:de|del|di|do))?(?:{_JOINT}{_YEAR_WORD})+(?!\w)"
    rf"|(?<!\w)(?P<m2>{_LETTER}{{3,}})(?: the)?(?:{_JOINT}{_YEAR_WORD}){{3,}}(?!\w)",
    re.IGNORECASE,
)
LIVES = re.compile(
    r"\b(?:liv(?:e[sd]?|ing) (?:in|near)|moved? to|born in|grew up in|(?:wohn|leb)\w* in|nach|(?:vivo|vive|"
    r"vivimos) (?:en|a|in)|"
    r"mud\w+(?:-\w+)? (?:a|para)|(?:habit\w+|déménagé|abit\w+|trasferit\w+) (?:à|a)|(?:moro|moramos) em|"
    r"(?:жив\w+|переехал\w*) в) $",
    re.IGNORECASE,
)
HEALTH = re.compile(
    r"\b(?:diagnos\w+(?:-me)?(?: with|é)?|suf+[er]\w*(?: from| d[ei])?|soffro di|souffr\w+ de|leide\w* an|"
    r"allerg\w+ (?:to|gegen|"
    r"à|au|alla|al)|al[eé]rgic\w+ (?:a|à|ao)|страда\w+|аллерги\w+ на|диагноз)(?: (?:an?|l[ae]|el|une?|una|uma|"
    r"os?))?(?: | l')$",
    re.IGNORECASE,
)
ILLNESS = re.compile(
    r"(?:dia|диа)(?:b[eè]t|бет)\w*|(?:epil|эпил)\w+|ast?h?ma\w*|астм\w*|\w+(?:itis|osis|osi|emia|ämie|krebs|pathie|"
    r"pathy|algie|"
    r"phobi\w+)|cancer|cáncer|c[aâ]n?cro|câncer|hiv|вич"
)
_SPELLED_WORD = r"[A-ZÀ-ÞА-Я] (?:as in|for|wie(?: in)?|como|comme|come|как) \w+"
SPELLED = re.compile(
    rf"(?<![\w'’]){_LETTER}(?:[ .-]{{1,2}}{_LETTER}){{2,}}(?!\w)"
    rf"|(?<!\w){_SPELLED_WORD}(?:[, ]+(?:and )?{_SPELLED_WORD})+|(?<!\w)[A-Z] as in \w+"
)
UNITS = (
    r"(?:%|°|m²|km|kg|mg|ml|cm|mm|[kmgt]b|mbit|kwh|watts?|volts?|[wvgmlh]|x|min(?:ut\w+)?|hours?|hrs?|days?|nights?|"
    r"weeks?|months?|years?|people|persons?|guests|pieces|items|points?|miles?|words?|stunden?|tagen?|tage|wochen?|"
    r"monaten?|jahren?|personen|stück|punkte|horas?|d[ií]as|noches?|semanas?|meses|años|personas|puntos|heures?|"
    r"jours?|nuits?|semaines?|mois|ans|personnes|ore|giorni|notti|settimane|mesi|anni|persone|punti|dias|anos|pessoas|"
    r"час\w*|д(?:ень|ня|ней)|недел\w+|месяц\w*|лет|год\w*|человек\w*|штук\w*|балл\w*)"
)
AMOUNTS = re.compile(
    rf"(?<!\w)(?:{SIGN})\s?(?:{AMOUNT})\b|(?<![\w.,])(?:{AMOUNT})(?:,[-–—])?\s?(?:(?:{SIGN})|(?:{CURRENCY})(?!\w))"
    rf"|\b(?:EUR|USD|GBP|CHF|Rs\.?)\s?(?:{AMOUNT})\b"
    rf"|(?<![\w.,/-])\d{{1,5}}[.,]\d{{2}}(?![\w/-]|[.,]\d)|(?<![\w.,])\d{{1,3}}(?:,\d{{3}})+(?![\w,])"
    rf"|(?<![\w.,/-])(?<!\d )\d{{1,5}}(?:[.,]\d{{1,2}})?\s?{UNITS}(?!\w)",
    re.IGNORECASE,
)
AGE = re.compile(
    r"(?<!\w)\d{1,3}(?: years? old| ?y/?o| jahre alt)(?!\w)"
    r"|\b(?:aged?|age is|tengo|tiene|j'ai|ho|tenho|tem|мне|ему|ей) (\d{1,3})(?: (?:años|ans|anni|anos|лет|"
    r"года?))?(?!\w)",
    re.IGNORECASE,
)
TIME = re.compile(
    r"(?:[01]?\d|2[0-4])(?:[:.hч][0-5]\d(?::[0-5]\d)?(?:[ap]m|h|z)?|[hч]|[ap]m)(?:[-–](?:[01]?\d|"
    r"2[0-4])[:.h][0-5]\d)?",
    re.IGNORECASE,
)
SMALL = re.compile(
    r"[#x×*(+-]?\d{1,2}(?:st|nd|rd|th|er|e|º|ª|°|o|a|-?[йяе]|-го|x|×|\+|%)?|\d{1,2}[-–/]\d{1,2}|\d{1,3}%|\d[.,]\d"
    r"|[a-z]{1,2}\d{1,2}|\d{1,2}[a-z]{1,2}|20[2-4]\d",
    re.IGNORECASE,
)
DATE = re.compile(
    r"(?<![\w/.-])(?:(?P<iso>\d{4})[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
    r"|\d{1,2}(?P<mark>[/.-])\d{1,2}(?P=mark)(?P<year>\d{4}|\d{2}))(?![\w/-]|\.\d)"
)
WORDED = re.compile(
    r"(?<!\w)(?P<d>\d{1,2})(?:st|nd|rd|th|er|º|°|\.)?"
    r"(?: (?:day )?(?:of |de |du |di )?|[-/])(?P<m>[^\W\d_]{3,})(?:\.(?= \d))?"
    r"(?:(?:,? (?:de |of |del )?|[-/])(?P<y>(?:19|20)\d\d))?(?!\w)"
    r"|(?<!\w)(?P<m2>[^\W\d_]{3,})\.? (?P<d2>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<y2>(?:19|20)\d\d))?(?![\w:]|[.,]\d)"
)
EXPIRY = re.compile(r"(?<![\w/.-])(?:0[1-9]|1[0-2]) ?[/.-] ?(?:20)?(?:2[4-9]|3\d)(?![\w/-]|\.\d)")
GROUPS = re.compile(rf"(?<![\w.,])(?<![A-Za-z][-/])[+(*#]{{0,2}}\d(?:{_SEPARATED}{{0,3}}[\d*•])+(?![\w])")
COORDINATE = re.compile(r"(?<![\w.])-?\d{1,3}\.\d{3,}(?!\w)")
CAPITALS = re.compile(r"(?<![\w-])(?=[A-Z -]*\d)(?=[0-9 -]*[A-Z])[A-Z0-9]{1,8}(?:[ -][A-Z0-9]{1,8})+(?![\w-])")
RUN = re.compile(r"[^\s,;!?()\[\]{}\"'«»“”„<>|]+(?:[!?;][^\s,;!?()\[\]{}\"'«»“”„<>|]+)*")
WORD = re.compile(rf"{_LETTER}(?:{_LETTER}|[\u0300-\u036f])*")
FLAT = re.compile(
    r"\b(?:flat|apt\.?|apartment|unit|suite|room|house|floor|door|wohnung|whg\.?|haus|zimmer|stock|piso|puerta|casa|"
    r"depto\.?|appartement|appt?\.?|étage|porte|bât\.?|interno|int\.?|scala|apto\.?|andar|lote|кв\.?|"
    r"квартир\w+|дом\w*|"
    r"д\.|корп\.?|подъезд\w*)(?: (?:no\.?|nr\.?|nº|№|number))? ?#?\d{1,4}[a-z]?\b"
    r"|\b\d{1,2}[ºª°] ?(?:izq\w*|der\w*|dcha|esq\w*|dto|[A-Z]\b)\.?",
    re.IGNORECASE,
)
STREET = re.compile(
    rf"(?<!\w)(?:\d{{1,5}}[a-z]?|{_NUMBER_WORD}(?:[ -]{_NUMBER_WORD})?(?: [a-d])?),? "
    rf"(?P<inner>(?:{_LETTER}[\w'’-]*\.? ){{1,3}})(?:street|st|road|rd|avenue|ave|"
    rf"lane|ln|drive|dr|court|"
    r"ct|close|crescent|rise|way|square|terrace|gardens?|place|hill|grove|row|mews|blvd|boulevard)\b\.?"
    r"|(?<!\w)(?:\d{1,4}(?: bis| ter)?,? )(?:rue|avenue|boulevard|place|impasse|allée|chemin|quai|"
    r"route) (?:[\w'’-]+ ?){1,5}"
    r"|\b(?:(?:calle|avenida|avda?|plaza|paseo|rua|travessa|largo|via(?= (?-i:[A-Z]))|viale|piazza|corso|vicolo|ул|"
    r"улиц\w|проспект\w?|переул\w+|бульвар\w?)\b\.?|c/|пр\.|пер\.)"
    r" ?(?:[\w'’.-]+ ){0,4}[\w'’.-]+,? (?:n[º°.]? ?|д(?:ом|\.) ?)?\d{1,4}[a-z]?\b"
    r"|\b(?:Am|An de[rm]|Im|Zu[mr]|Auf de[rm]|Unter de[nrm]|In de[rn]|"
    r"Hinter de[rm]) (?:[A-ZÄÖÜ][\wß-]+ ){1,2}\d{1,3} ?[a-z]?"
    r"(?=\s*(?:[,.;\n]|$))"
    r"|\b[\w-]+(?:straße|strasse|str\.|weg|platz|allee|gasse|ufer|damm|ring) \d{1,4}[a-z]?\b",
    re.IGNORECASE,
)
NAMED_STREET = re.compile(
    r"(?:[A-Z][\w'’-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Court|Close|Crescent|Rise|Terrace|"
    r"Gardens|Grove|"
    r"Row|Mews|Blvd|Boulevard|Square|Hill)\b"
)
LAST_FOUR = re.compile(
    r"\b(?:end(?:s|ing|et)?|last|letzten?|card|karte|termin\w+|[uú]ltim\w+|final|derni\w+|finit\w*|карт\w+)\b",
    re.IGNORECASE,
)
TITLED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Sir|Lady|Herrn?|Frau|Sra?|Señora?|Señorita|Don|Doña|Mme|Mlle|Madame|"
    r"Monsieur|Maître|"
    r"Signora?|Signorina|Sig|Senhora?|Dona|Dott|Ing)\.?(?: (?:Dr|Prof)\.?)? $"
)
POSTCODE = re.compile(r"(?<![\d.,])(?:\d{4,5}|\d{4}-\d{3}|\d{5}-\d{3}),? $")
ASKS_ADDRESS = re.compile(
    r"\b(?:address|where (?:do you live|should|shall|to)|adresse|anschrift|wohnen sie|direcci[oó]n|dónde vive|"
    r"indirizzo|"
    r"endereço|morada|адрес\w*)\b",
    re.IGNORECASE,
)
REQUEST = re.compile(
    r"\?|\b(?:please|give|tell|confirm|provide|enter|need|bitte|nennen|favor|diga|indique|indiquez|donnez|"
    r"plaît|favore|indichi|"
    r"informe|confirme|назовите|укажите|напишите|подскажите|пожалуйста)\b",
    re.IGNORECASE,
)
REPLY = 12
"""Words of a reply that answers a question for an address."""

BIRTH = re.compile(
    r"\b(?:born|birth\w*|dob|geboren\w*|geb\.?|geburt\w*|nac[ií]\w*|nat[oaie]|nascit\w*|nasc\w*|née?|naissance|"
    r"compleann\w*|cumpleaños|anniversaire|aniversário|родил\w*|рожд\w*|д\.?р\.)\b",
    re.IGNORECASE,
)
SECRET = re.compile(
    r"\b(?:pass ?(?:word|code|phrase)?|pw|pwd|pin(?: ?code)?|secret|security (?:answer|question|word|code)|"
    r"(?:memorable|safe|code|key) ?word|maiden name|passwort|kennwort|pin-nummer|losung|antwort|contraseña|clave|"
    r"mot de passe|code secret|mdp|parola d'ordine|parola|palavra[- ]passe|senha|token|api[- ]?key|пароль|"
    r"кодов\w+ слово|"
    r"пин)\b(?! ?(?:reset|zurück))",
    re.IGNORECASE,
)
LOGIN = re.compile(
    r"\b(?:user ?-?(?:name|id)?|login|log-in|nick(?:name)?|handle|screen name|benutzer(?:name|kennung)?|"
    r"nutzername|usuario|"
    r"identifiant|pseudo|utente|nome utente|usuário|utilizador|логин|ник|insta(?:gram)?|telegram|skype|"
    r"discord|twitter)\b",
    re.IGNORECASE,
)
LINKED = re.compile(
    r"(?: (?:for|of|on|para|de|für|du|my|the)(?: \w+){1,2})?\s*(?::|=|-|–|\b(?:is|was|(?:w|sh)ould be|ist|war|lautet|"
    r"heißt|es|era|"
    r"est|était|è|era|é|это)\b:?)\s*[\"'«“]?"
)
ASKS_NAME = re.compile(
    r"\b(?:names?|surname|who am i (?:speaking|talking)|whom|namen?|nachname|vorname|wer|nombre|apellidos?|quién|nom|"
    r"prénom|qui|nome|cognome|sobrenome|chi|quem|имя|зовут|фамили\w+|кто)\b",
    re.IGNORECASE,
)
NAMED = re.compile(
    r"(?:\b(?:name'?s?(?: is| was)?|called|call me|i'?m|i am|it'?s|this is|speaking with|mr|mrs|ms|miss|dr|"
    r"sir|madam|dear|"
    r"hi|hello|hey|thanks|thank you|regards|sincerely|cheers|with|for|from|by|to|and|mein name ist|ich heiße|"
    r"heiße|heißt|"
    r"ich bin|bin|hier ist|hier|aus|frau|herrn?|liebe[rs]?|hallo|danke|von|für|bei|an|mit|und|me llamo|"
    r"mi nombre es|se llama|"
    r"soy|habla|señora?|sr|sra|hola|gracias|doña?|con|por|para|y|je m'appelle|s'appelle|c'est|madame|monsieur|"
    r"mme|bonjour|"
    r"merci|avec|pour|et|mi chiamo|si chiama|sono|signora?|sig|ciao|grazie|per|e|chamo-me|me chamo|meu nome é|"
    r"sou|aqui é [ao]|"
    r"olá|oi|obrigad[oa]|com|меня зовут|зовут|это|я|от|для|с|и)|[:(])\.?,? ?$",
    re.IGNORECASE,
)
STRONG = re.compile(
    r"\b(?:name'?s?(?: is)?|call me|mein name ist|ich heiße|heißt|hier (?:ist|spricht)|me llamo|mi nombre es|"
    r"se llama|je m'appelle|s'appelle|"
    r"mi chiamo|si chiama|me chamo|chamo-me|nome é|меня зовут|зовут) $",
    re.IGNORECASE,
)
INTRO = re.compile(r"\b(?:i'?m|this is|ich bin|soy|c'est|sono|sou(?: [ao])?|это) $", re.IGNORECASE)
PERSON = re.compile(
    r"\b(?:mr|mrs|ms|miss|dr|prof|(?:husband|wife|son|daughter|mother|mum|mom|father|dad|brother|sister|friend|"
    r"partner|boss|neighbou?r|colleague|uncle|aunt|cousin|grandpa|grandma|flatmate|roommate),?|tell|told|asked|"
    r"spoke (?:to|with))\.? $"
)
"""Words in small letters that a name follows, if it is one of the words that may be names."""
GREETED = re.compile(
    r"\s*(?:(?:hi|hello|hey|hallo|hola|bonjour|ciao|olá|oi|привет)(?: there| again)?[,.!]? ?)?", re.IGNORECASE
)
INTRODUCED = re.compile(
    r"(?:here|speaking|again|from|calling|hier|aus|am apparat|de|à l'appareil|qui)\b", re.IGNORECASE
)
PEOPLE = re.compile(
    r"^(?:(?:first|last|full|given|family|middle|user|customer|guest|passenger|contact|account|display|sur|"
    r"company)_?name|"
    r"name_on\w*|nombres?|apellidos?|(?:pre)?nome?|nom|prenom|cognome|sobrenome|nachname|vorname|fio|imya|familiya|"
    r"(?:account_?)?(?:holder|owner)|engineer|technician|driver|courier|tenant|patient|passenger|guest|recipient|"
    r"beneficiary|contact(?:_person)?|employee|manager|agent|doctor|author|customer|client|cliente?|kunde|inhaber|"
    r"techniker|fahrer|titulaire|titular|titolare|intestatario|tecnico|técnico|repartidor|entregador|gestor|paciente|"
    r"destinatario|destinataire|master|signed_by|assigned_to|handled_by|created_by|initials|company|employer|firma)$",
    re.IGNORECASE,
)
PLACES = re.compile(
    r"address|street|adress|strasse|straße|direcci|indirizzo|endere|morada|adres|city|town|village|\bort\b|"
    r"^ort$|ciudad|"
    r"ville|citt|cidade|gorod|zip|post|^plz$|^cep$|^cap$|^cp$|house_?n|apartment|^flat|^unit$|^line_?\d|^lat|"
    r"^lon|^lng|gps|"
    r"coord|wohnort|stadt|ulica",
    re.IGNORECASE,
)
CODES = re.compile(
    r"user_?(?:name)?$|login|handle|nick|passw|passwor[dt]|secret|token|pin$|answer|usuario|senha|"
    r"mot_?de_?passe|contras|"
    r"(?:^|_)ref|tracking|pnr|locator|localizador|plate|kennzeichen|matricula|^ip$|_ip$|mac$|serial|session",
    re.IGNORECASE,
)
AMOUNT_KEY = re.compile(
    r"price|total|amount|sum|cost|fee|tax|balance|quantity|qty|count|minutes|hours|days|points|stock|weight|"
    r"size|length|"
    r"width|height|discount|percent|rating|score|limit|year|preis|betrag|menge|anzahl|precio|importe|cantidad|"
    r"prix|montant|"
    r"solde|prezzo|importo|saldo|preço|valor|quantidade|gramm|calori|kcal|temperature|duration|distance|page|"
    r"version|status",
    re.IGNORECASE,
)
TITLES = frozenset(
    "mr mrs ms miss mx dr prof sir madam lady herr herrn frau fräulein señor señora señorita sr sra don doña monsieur "
    "madame mademoiselle mme mlle me signor signora signore sig senhor senhora dona i i'm sie ihnen ihr ihre ihren "
    "ihrem ihrer "
    "english spanish german french italian portuguese russian internet wi-fi windows android google whatsapp visa "
    "mastercard paypal".split()
)
DETERMINER = re.compile(
    r"\b(?:an?|the|this|that|these|those|some|any|no|every|each|another|which|its) $", re.IGNORECASE
)
"""Words before a noun in English, which no name follows."""

WEEKDAYS = frozenset(
    "monday tuesday wednesday thursday friday saturday sunday christmas easter mon tue wed thu fri sat sun "
    "montag dienstag mittwoch donnerstag freitag samstag sonntag".split()
)
