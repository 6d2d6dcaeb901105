"""Spanish words in which users are described."""

from sparring.extraction.role_words.role_words import RoleWords, matching, words

_OWN = r"(?:tu|su|mi|el|la)"
_ARE = r"(?:eres|es usted|usted es|soy)"
_ID = r"pedido|cuenta|reserva|cliente|póliza|socio|billete|factura|seguimiento|expediente|pasaporte|tarjeta"
_SAYINGS = r"(?:frases?|respuestas?|mensajes?|preguntas?|oraciones|textos?)"

SPANISH = RoleWords(
    named=matching(
        r"(?:tu|su|mi) nombre (?:completo )?es",
        r"(?:te llamas|se llama|me llamo|usted se llama)",
        r"(?:cliente|clienta|usuario|usuaria|persona|mujer|hombre|estudiante|paciente|chico|chica)"
        r"(?:,)? (?:llamad[oa]|que se llama|de nombre)",
        r"a nombre de",
    ),
    are=matching(_ARE),
    not_names=words(
        "erasmus español española inglés inglesa francés francesa alemán alemana italiano italiana cristiano cristiana"
        " musulmán musulmana judío judía un una el la no"
    ),
    persons=matching(
        r"(?:un|una) (?:\w+ ){0,2}(?:cliente|clienta|usuario|usuaria|persona|mujer|hombre|estudiante|paciente)\b"
    ),
    own=matching(r"(?:tu|su|mi) ((?:[\w'-]+ ){0,3}[\w'-]+) (?:es|son)(?: el| la)? "),
    has_called=matching(r"(?:tienes|tiene|tengo) (?:un|una) (?:\w+ )?(\w+) (?:llamad[oa]|que se llama) "),
    address=matching(
        r"(?:vives?|vivo) en ",
        r"(?:dirección|domicilio) (?:es|:) ",
        r"(?:entregar|entrega|enviar|envíen|traer)(?:lo|la|los|las)? (?:en|a) ",
    ),
    street=matching(
        r"(?:calle|c/|avenida|avda\.?|av\.|plaza|paseo|camino|carretera"
        r"|ronda) (?:[\w'-]+ ){0,4}[\w'-]+,? (?:n[.º°]* ?)?\d{1,4}"
    ),
    age=matching(
        r"(?:tienes|tiene|tengo|edad es|edad:) (\d{1,3})(?: años)?(?=$|[.,;!?]| años\b| y\b)", r"de (\d{1,3}) años\b"
    ),
    born=matching(r"(?:naciste|nació|nací|nacid[oa]|fecha de nacimiento|cumpleaños)\b"),
    budget=matching(
        r"(?:como máximo|no más de|hasta|presupuesto (?:de|es|es de)|un máximo de|máximo de|gastar más de"
        r"|puedes? gastar"
        r"|límite (?:de|es)) $"
    ),
    code=matching(rf"({_ID})(?: (número|n\.?º?|id|código|referencia))?:?(?: es)?(?: el| la)? #?$"),
    available=matching(
        r"(?:libre|disponible|disponibilidad es)", r"(?:puedes?|puedo) (?:venir|ir|asistir|quedar)", r"tienes? tiempo"
    ),
    weekdays=("lunes", "martes", "miércoles", "jueves", "viernes", "sábados?", "domingos?"),
    day_groups={
        r"entre semana|días laborables": (0, 1, 2, 3, 4),
        r"fines? de semana": (5, 6),
        r"(?:cualquier|todos los) días?": tuple(range(7)),
    },
    parts_of_day={
        r"(?:por|de) las? mañanas?": (6 * 60, 14 * 60),
        r"(?:por|de) las? tardes?": (14 * 60, 21 * 60),
        r"(?:por|de) las? noches?": (20 * 60, 24 * 60),
    },
    after=r"(?:después de|a partir de|desde)(?: las?)?",
    before=r"(?:antes de|hasta)(?: las?)?",
    between=r"(?:entre|de)(?: las?)?",
    except_=r"(?:no|nunca|excepto|salvo|menos|pero no)(?: por)?(?: el| los| la| las)?",
    late=r"(?:p\.?m\b|de la (?:tarde|noche))",
    asked={
        "email": matching(r"e-?mail|correo"),
        "phone": matching(r"teléfono|móvil|número de contacto|(?:contactar|localizar|llamar)(?:te|le|lo)\b"),
        "birth_date": matching(r"fecha de nacimiento|cumpleaños|cuándo (?:naciste|nació)"),
        "age": matching(r"(?:qué|cuál es (?:tu|su)) edad|cuántos años"),
        "address": matching(r"dirección|domicilio|código postal|dónde (?:vives?|se lo|te lo|entreg|envi)"),
        "id": matching(rf"(?:número|n\.?º|código|referencia|id) (?:de )?(?:tu |su |la |el |del )?({_ID})\b"),
        "budget": matching(r"presupuesto", r"cuánto .{0,30}\b(?:gastar|pagar)\b"),
        "name": matching(r"nombres?\b|apellidos?\b", r"cómo (?:se|te) llamas?\b", r"con quién (?:hablo|tengo)"),
        "availability": matching(
            r"(?:cuándo|qué días?|qué hora|qué fecha)", r"disponib", r"(?:te|le) (?:viene|va|vendría|iría) bien"
        ),
    },
    not_own_name=matching(
        r"nombre (?:de (?:tu|su|la|este|esta)|del) (?!cliente|titular|persona|usuario|reserva)",
        r"nombre (?:de usuario|del producto)",
    ),
    nouns={
        "name": matching(r"nombre(?: \w+)?$"),
        "email": matching(r"(?:e-?mail|correo(?: electrónico)?|dirección de correo)$"),
        "phone": matching(r"(?:número de )?(?:teléfono|móvil)$"),
        "birth_date": matching(r"(?:fecha de nacimiento|cumpleaños)$"),
        "address": matching(r"(?:dirección|domicilio)$"),
        "age": matching(r"edad$"),
        "budget": matching(r"presupuesto(?: \w+)?$"),
        "id": matching(rf"(?:número|código|referencia) de (?:{_ID})$"),
        "availability": matching(r"disponibilidad$"),
        "": matching(
            r"(?:rol|papel|objetivos?|tarea|tono|estilo|preguntas?|respuestas?|mensajes?|frases?|clientes"
            r"|intención)(?: \w+)*$"
        ),
    },
    negation=matching(r"(?:no|nunca|sin|jamás|ni|tampoco|evita)\b"),
    manners={
        "terse": matching(
            rf"{_SAYINGS} (?:\w+ y )?(?:cort[oa]s?|breves?|directas?|simples?|sencillas?|concis[oa]s?)",
            rf"(?:cort[oa]s?|breves?) {_SAYINGS}|(?:eres|es|muy|sé) direct[oa]\b|brevemente|lacónic|concis[oa]\b"
            rf"|pocas palabras"
            r"|al grano|sí o no\b|expert[oa]\b",
        ),
        "wordy": matching(
            r"hablas? (?:mucho|demasiado)|habl?ador|charlatán|charlar|parlanch|verbos[oa]s?\b"
            rf"|{_SAYINGS} (?:\w+ )?larg[oa]s|con (?:todo )?detalle|detallad[oa]s?\b|te enrollas"
        ),
        "formal": matching(r"formal(?:es|mente)?\b|educad[oa]\b|cortés|cortesía|amables?\b|agradec|gracias"),
        "rude": matching(
            r"maleducad|groser|antipátic|enfadad|enojad|insult|agresiv|desagradable|borde\b|hostil|malhumorad"
            r"|irritable|desprecias?"
        ),
        "impatient": matching(
            r"prisas?\b|impacient|estresad|urgente|no (?:tienes|tiene) (?:mucho )?tiempo|no (?:te|le) gusta esperar"
        ),
        "vague": matching(
            r"vag[oa]\b|olvidadiz|despistad|tímid|insegur|desorganizad|desordenad|indecis[oa]|no est[aá]s? segur"
        ),
        "sceptical": matching(r"escéptic|desconf|dudas\b|suspicaz|recelos|no (?:te )?(?:fías|confías)"),
        "curious": matching(
            r"curios[oa]\b|curiosidad|(?:saber|preguntas?) (?:el |los )?(?:por ?qué|motivos?|razones)"
            r"|haces muchas preguntas"
        ),
        "confused": matching(
            r"confus[oa]\b|confundid|ancian[oa]\b|persona mayor|mayor de \d\d|de (?:\d\d|ochenta|setenta) años"
            r"|(?:poco|nada) de (?:la )?(?:tecnología|informática)|no (?:entiendes|sabes).{0,20}(?:tecnología"
            r"|informática)"
        ),
        "flexible": matching(
            r"flexible|aceptas? (?:cualquier|otr|alternativ|lo que)|(?:te|le) da igual|te conformas|abiert[oa] a"
        ),
        "insistent": matching(r"insist|terc[oa]\b|testarud|persistente|no (?:aceptas?|te conformas|te rindes)"),
        "adversarial": matching(
            r"engañ|truco|trampa|gratis\b|manipul|amenaz|ignora (?:sus|las|tus) (?:\w+ )?(?:reglas|instrucciones"
            r"|normas)"
            r"|hablar con (?:el|la|un|una|tu|su) (?:encargad|gerente|responsable|jef)"
        ),
    },
    hold=matching(
        r"nunca actúes como (?:un )?(?:asistente|chatbot)",
        r"(?:tu|su) rol es (?:el )?(?:de|del)\b",
        r"(?:debes )?actu(?:ar|á|a) como un[a]? (?:usuari[oa]|client[ea]|persona|ciudadan[oa])\b",
        rf"{_ARE} un[a]? (?:usuari[oa]|client[ea]|persona|ciudadan[oa])\b",
        r"(?:no|nunca|sin) (?:pidas|preguntes|preguntar|pedir) (?:por )?(?:nada|ningun|otr|más)",
    ),
    kinds={"perro": "mascota", "perra": "mascota", "gato": "mascota", "gata": "mascota"},
)
