"""Personal data as people say it in chats, in seven languages: (line, what must not stay whole).

Rules may be tuned on `SEEN`; `UNSEEN` was written at the same time and only counted at the end.
"""

Planted = list[tuple[str, str]]

SEEN: dict[str, Planted] = {
    "English": [
        ("My customer number is four seven one one nine two", "four seven one one nine two"),
        ("I was born on the fourth of May nineteen eighty two", "fourth of May nineteen eighty two"),
        ("i live in bath, can you deliver there?", "bath"),
        ("hi, i'm grace and i need help", "grace"),
        ("I need a seat near the toilet because I have diabetes", "diabetes"),
        ("I was diagnosed with epilepsy last year", "epilepsy"),
    ],
    "German": [
        ("Meine Kundennummer ist siebenundvierzig elf zweiundneunzig", "siebenundvierzig elf zweiundneunzig"),
        ("Ich bin am vierten Mai neunzehnhundertzweiundachtzig geboren", "vierten Mai neunzehnhundertzweiundachtzig"),
        ("ich wohne in essen, liefern sie dorthin?", "essen"),
        ("hallo, ich bin rosa und brauche hilfe", "rosa"),
        ("Ich brauche einen anderen Platz, weil ich Diabetes habe", "Diabetes"),
        ("Bei mir wurde Epilepsie diagnostiziert", "Epilepsie"),
    ],
    "Spanish": [
        ("Mi número de cliente es cuarenta y siete once noventa y dos", "cuarenta y siete once noventa y dos"),
        (
            "Nací el cuatro de mayo de mil novecientos ochenta y dos",
            "cuatro de mayo de mil novecientos ochenta y dos",
        ),
        ("vivo en toro, ¿entregan allí?", "toro"),
        ("hola, soy luz y necesito ayuda", "luz"),
        ("Necesito otro asiento porque tengo diabetes", "diabetes"),
        ("Me diagnosticaron epilepsia el año pasado", "epilepsia"),
    ],
    "French": [
        ("Mon numéro de client est quarante-sept onze quatre-vingt-douze", "quarante-sept onze quatre-vingt-douze"),
        (
            "Je suis né le quatre mai mille neuf cent quatre-vingt-deux",
            "quatre mai mille neuf cent quatre-vingt-deux",
        ),
        ("j'habite à tours, vous livrez là-bas ?", "tours"),
        ("bonjour, je m'appelle rose et j'ai besoin d'aide", "rose"),
        ("Il me faut une autre place car j'ai du diabète", "diabète"),
        ("On m'a diagnostiqué une épilepsie", "épilepsie"),
    ],
    "Italian": [
        ("Il mio numero cliente è quarantasette undici novantadue", "quarantasette undici novantadue"),
        ("Sono nato il quattro maggio millenovecentottantadue", "quattro maggio millenovecentottantadue"),
        ("abito a lecco, consegnate lì?", "lecco"),
        ("ciao, sono gioia e ho bisogno di aiuto", "gioia"),
        ("Mi serve un altro posto perché ho il diabete", "diabete"),
        ("Mi hanno diagnosticato l'epilessia", "epilessia"),
    ],
    "Portuguese": [
        ("O meu número de cliente é quarenta e sete onze noventa e dois", "quarenta e sete onze noventa e dois"),
        (
            "Nasci a quatro de maio de mil novecentos e oitenta e dois",
            "quatro de maio de mil novecentos e oitenta e dois",
        ),
        ("moro em tomar, entregam lá?", "tomar"),
        ("olá, sou a luz e preciso de ajuda", "luz"),
        ("Preciso de outro lugar porque tenho diabetes", "diabetes"),
        ("Diagnosticaram-me epilepsia no ano passado", "epilepsia"),
    ],
    "Russian": [
        ("Мой номер клиента сорок семь одиннадцать девяносто два", "сорок семь одиннадцать девяносто два"),
        (
            "Я родился четвёртого мая тысяча девятьсот восемьдесят второго года",
            "четвёртого мая тысяча девятьсот восемьдесят второго",
        ),
        ("я живу в орле, доставите?", "орле"),
        ("привет, меня зовут роза, нужна помощь", "роза"),
        ("Мне нужно другое место, у меня диабет", "диабет"),
        ("Мне поставили диагноз эпилепсия", "эпилепсия"),
    ],
}

UNSEEN: dict[str, Planted] = {
    "English": [
        ("the reference is nine eight zero three three five", "nine eight zero three three five"),
        ("my birthday is March the twenty first nineteen ninety", "twenty first nineteen ninety"),
        ("we moved to reading last month", "reading"),
        ("this is hope again, about my parcel", "hope"),
        ("I suffer from migraine and cannot wait on the phone", "migraine"),
        ("I am allergic to penicillin, does it matter?", "penicillin"),
    ],
    "German": [
        ("die Nummer lautet neunzig dreiunddreißig fünf", "neunzig dreiunddreißig fünf"),
        ("mein Geburtstag ist der einundzwanzigste März neunzehnhundertneunzig", "neunzehnhundertneunzig"),
        ("wir sind nach hagen gezogen", "hagen"),
        ("hier ist linde nochmal", "linde"),
        ("Ich leide an Migräne und kann nicht warten", "Migräne"),
        ("Ich bin allergisch gegen Penicillin", "Penicillin"),
    ],
    "Spanish": [
        ("la referencia es noventa treinta y tres cinco", "noventa treinta y tres cinco"),
        ("mi cumpleaños es el veintiuno de marzo de mil novecientos noventa", "marzo de mil novecientos noventa"),
        ("nos mudamos a cabra el mes pasado", "cabra"),
        ("hola, me llamo paz", "paz"),
        ("Sufro de migraña y no puedo esperar", "migraña"),
        ("Soy alérgica a la penicilina", "penicilina"),
    ],
    "French": [
        ("la référence est quatre-vingt-dix trente-trois cinq", "quatre-vingt-dix trente-trois cinq"),
        ("je suis née le vingt et un mars mille neuf cent quatre-vingt-dix", "mars mille neuf cent quatre-vingt-dix"),
        ("nous avons déménagé à lens", "lens"),
        ("c'est aube, je rappelle", "aube"),
        ("Je souffre de migraine et ne peux pas attendre", "migraine"),
        ("Je suis allergique à la pénicilline", "pénicilline"),
    ],
    "Italian": [
        ("il codice è novanta trentatré cinque", "novanta trentatré cinque"),
        ("sono nata il ventuno marzo millenovecentonovanta", "ventuno marzo millenovecentonovanta"),
        ("ci siamo trasferiti a lucca", "lucca"),
        ("mi chiamo stella", "stella"),
        ("Soffro di emicrania e non posso aspettare", "emicrania"),
        ("Sono allergico alla penicillina", "penicillina"),
    ],
    "Portuguese": [
        ("a referência é noventa trinta e três cinco", "noventa trinta e três cinco"),
        ("nasci em vinte e um de março de mil novecentos e noventa", "março de mil novecentos e noventa"),
        ("mudámo-nos para mira", "mira"),
        ("chamo-me flor", "flor"),
        ("Sofro de enxaqueca e não posso esperar", "enxaqueca"),
        ("Sou alérgica à penicilina", "penicilina"),
    ],
    "Russian": [
        ("код девяносто тридцать три пять", "девяносто тридцать три пять"),
        ("мой день рождения двадцать первого марта тысяча девятьсот девяностого", "марта тысяча девятьсот девяностого"),
        ("мы переехали в мирный", "мирный"),
        ("это вера, я снова звоню", "вера"),
        ("Я страдаю мигренью и не могу ждать", "мигренью"),
        ("У меня аллергия на пенициллин", "пенициллин"),
    ],
}

POLITE = {
    "English": ("Good morning, how can I help you today? Please tell me.", "Thank you, I will check that for you."),
    "German": ("Guten Morgen, wie kann ich Ihnen heute helfen?", "Danke, ich prüfe das für Sie."),
    "Spanish": ("Buenos días, ¿cómo puedo ayudarle hoy?", "Gracias, lo compruebo para usted."),
    "French": ("Bonjour, comment puis-je vous aider aujourd'hui ?", "Merci, je vérifie cela pour vous."),
    "Italian": ("Buongiorno, come posso aiutarla oggi?", "Grazie, lo controllo per lei."),
    "Portuguese": ("Bom dia, como posso ajudá-lo hoje?", "Obrigado, vou verificar isso para si."),
    "Russian": ("Доброе утро, чем я могу вам помочь сегодня?", "Спасибо, я проверю это для вас."),
}
"""What the chatbot says before and after."""

ORDINARY: dict[str, Planted] = {
    "English": [
        ("Hi, this is Oluwaseun Bramley, I still wait for my parcel.", "Oluwaseun Bramley"),
        ("please put it under the name of Tegwen Ashdown-Pryce", "Tegwen Ashdown-Pryce"),
        ("my wife Marguerite will pick it up on Friday", "Marguerite"),
        ("You can write to t.ashdown+shop@harrowmail.example if it is late", "t.ashdown+shop@harrowmail.example"),
        ("Call me back on 07700 900461, after six is best", "07700 900461"),
        ("It should go to 47B Larkspur Crescent, Wexcombe, WX4 9LT", "47B Larkspur Crescent"),
        ("the card is 5555 5555 5555 4444 and it was charged twice", "5555 5555 5555 4444"),
        ("My membership is GYM-77-40918, can you freeze it?", "GYM-77-40918"),
        ("my national insurance number is QQ 12 34 56 C", "QQ 12 34 56 C"),
        ("booking JX7K2Q for two people, I want to change the day", "JX7K2Q"),
    ],
    "German": [
        ("Guten Tag, hier spricht Friedlinde Obermoser, meine Lieferung fehlt.", "Friedlinde Obermoser"),
        ("die Rechnung geht an Herrn Thaddäus Wrobelski", "Thaddäus Wrobelski"),
        ("Schreiben Sie bitte an f.obermoser@postfach-sued.example", "f.obermoser@postfach-sued.example"),
        ("Sie erreichen mich unter 0151 23456789 ab 18 Uhr", "0151 23456789"),
        ("Ich bin umgezogen, jetzt Am Brunnenfeld 23a, 94032 Passau", "Am Brunnenfeld 23a"),
        ("Meine IBAN lautet DE02 1203 0000 0000 2020 51", "DE02 1203 0000 0000 2020 51"),
        ("die Steuernummer ist 21/815/08150", "21/815/08150"),
        ("Vertragsnummer V-2094-7716, ich möchte kündigen", "V-2094-7716"),
    ],
    "Spanish": [
        ("Buenas, soy Itziar Goñi Labiano y no me llega el pedido", "Itziar Goñi Labiano"),
        ("lo recoge mi hijo Eleuterio mañana", "Eleuterio"),
        ("mi correo es itziar_goni84@correolibre.example", "itziar_goni84@correolibre.example"),
        ("llámenme al 655 40 12 98 por la tarde, por favor", "655 40 12 98"),
        ("vivo en la calle Arrayanes 18, 3º izquierda", "calle Arrayanes 18"),
        ("mi DNI es 45873021K, ¿necesita algo más?", "45873021K"),
        ("pagué con la tarjeta 4012 8888 8888 1881 ayer", "4012 8888 8888 1881"),
        ("el número de póliza es 00-7741-9930", "00-7741-9930"),
        ("la reserva está a nombre de Baldomero Quiñones", "Baldomero Quiñones"),
    ],
    "French": [
        ("Bonjour, ici Maëlys Kerguelen, ma commande est perdue", "Maëlys Kerguelen"),
        ("le colis est pour Monsieur Anselme Trébuchet", "Anselme Trébuchet"),
        ("écrivez-moi à maelys.k@boite-lettres.example", "maelys.k@boite-lettres.example"),
        ("mon portable, c'est le 06 39 98 01 27", "06 39 98 01 27"),
        ("livrez au 14 bis rue des Cordeliers, 35000 Rennes", "14 bis rue des Cordeliers"),
        ("mon numéro de sécu est 2 84 05 35 238 014 62", "2 84 05 35 238 014 62"),
        ("la carte 3782 822463 10005 a été refusée", "3782 822463 10005"),
        ("dossier FR-SAV-55210, où en êtes-vous ?", "FR-SAV-55210"),
    ],
    "Italian": [
        ("Salve, sono Ermenegilda Scarpaleggia, aspetto il pacco", "Ermenegilda Scarpaleggia"),
        ("ritira mia sorella Ottavia domani", "Ottavia"),
        ("la mia mail: erme.scarpa@postalibera.example", "erme.scarpa@postalibera.example"),
        ("mi chiami al 347 889 0213 dopo le cinque", "347 889 0213"),
        ("abito in vicolo dei Lanaioli 7, a Volterra", "vicolo dei Lanaioli 7"),
        ("il codice fiscale è SCRRNG71T52L219K", "SCRRNG71T52L219K"),
        ("la pratica numero 118-KL-903 è ferma", "118-KL-903"),
        ("ho pagato con 5105 1051 0510 5100 due volte", "5105 1051 0510 5100"),
    ],
    "Portuguese": [
        ("Olá, fala a Gertrudes Vasconcelos, a encomenda não chegou", "Gertrudes Vasconcelos"),
        ("quem levanta é o meu marido, o Belmiro", "Belmiro"),
        ("o meu mail é gertrudes.v@caixapostal.example", "gertrudes.v@caixapostal.example"),
        ("o meu telemóvel é 936 210 487, obrigada", "936 210 487"),
        ("entreguem na Travessa do Loureiro 31, 2.º andar", "Travessa do Loureiro 31"),
        ("o meu NIF é 248719305, é preciso mais alguma coisa?", "248719305"),
        ("meu CPF é 529.982.247-25, já informei ontem", "529.982.247-25"),
        ("paguei com o cartão 6011 1111 1111 1117", "6011 1111 1111 1117"),
    ],
    "Russian": [
        ("Здравствуйте, это Аполлинария Верещагина, где мой заказ?", "Аполлинария Верещагина"),
        ("посылку заберёт мой брат Мстислав", "Мстислав"),
        ("пишите на apollinaria.v@pochta-svoya.example", "apollinaria.v@pochta-svoya.example"),
        ("звоните по номеру 8 916 204-77-31 вечером", "8 916 204-77-31"),
        ("доставьте на улицу Сиреневую, дом 8, квартира 41", "улицу Сиреневую, дом 8"),
        ("паспорт 45 09 718264, выдан давно", "45 09 718264"),
        ("списали с карты 4276 3800 1122 3344 дважды", "4276 3800 1122 3344"),
        ("номер договора ДГ-30517/22, хочу его расторгнуть", "ДГ-30517/22"),
        ("меня зовут Серафим Лопухин-Демидов", "Серафим Лопухин-Демидов"),
    ],
}
"""Names, addresses and numbers inside ordinary lines, written after the rules: none may stay whole."""
