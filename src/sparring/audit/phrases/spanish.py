"""Wordings of misbehaving users in Spanish."""

from sparring.audit.phrases.phrases import MisbehaviorPhrases

_THING = (
    r"(?:pedido|cita|reserva|solicitud|reembolso|pago|devolución|suscripción|entrega|envío|mesa|vuelo|paquete|pizza"
    r"|compra|orden|turno|transferencia|habitación|cuenta)"
)
_DONE = (
    r"(?:confirmad|realizad|reservad|agendad|programad|procesad|cancelad|completad|registrad|actualizad|enviad|añadid"
    r"|recibid|tramitad|list|hech|aprobad|anotad)[oa]s?"
)

SPANISH = MisbehaviorPhrases(
    assistant=(
        r"en qué (?:más )?(?:le |te |les |os )?(?:puedo|podemos|podría) (?:ayudar|servir|asistir)",
        r"cómo (?:le |te |les )?(?:puedo|podemos) (?:ayudar|servir|asistir)",
        r"(?:puedo|podemos) (?:ayudar|asistir)(?:le|te|les|os)\b (?:en|con) (?:algo|alguna)",
        r"(?:le|te|les) (?:puedo|podemos) (?:ayudar|asistir|ofrecer) (?:en|con|en algo|algo|alguna)",
        r"qué (?:le|te) (?:pongo|sirvo|puedo (?:ofrecer|servir|poner))\b",
        r"hay algo más en (?:lo )?que (?:le |te )?(?:pueda|podamos) (?:ayudar|asistir|servir)",
        r"(?:desea|deseas|quiere|quieres|le gustaría|te gustaría) (?:añadir|agregar|pedir|ordenar) (?:algo"
        r"|alguna|alguno|algun)",
        r"(?:desea|le gustaría|te gustaría|quiere usted) (?:alguna? )?(?:bebida|postre|acompañamiento|guarnición)",
        r"(?:desea|quiere|le gustaría|te gustaría) que (?:le|te) (?:reserve|confirme|haga|busque|añada|tramite"
        r"|ayude|recomiende)\b",
        r"(?:qué|cuál|cuántas|cuántos|de qué) (?:[\w-]+ ){0,4}(?:le gustaría|te gustaría|desea|desearía|prefiere"
        r" usted)\b",
        r"estoy aquí para (?:ayudar|asistir|servir)(?:le|te|les|os)\b",
        r"(?:encantad[oa]|será un placer|con mucho gusto|estaré encantad[oa])(?: de| en)? (?:(?:le|te) )?(?:ayud"
        r"|asist|atend)\w+",
        rf"(?:su|tu) {_THING} (?:[\w#-]+ ){{0,6}}(?:ha sido|está|fue|ha quedado|queda|será|se ha) (?:\w+mente"
        rf" )?{_DONE}\b",
        rf"(?:he|hemos|acabo de|voy a) (?:{_DONE}|confirmar|reservar|registrar|procesar|añadir|anotar|tramitar"
        rf"|cancelar) (?:\w+ )?(?:su|tu) {_THING}",
        r"(?:el|su|tu) total (?:es|sería|asciende a|será) (?:de )?[$€]?[0-9]",
        r"(?:serían|son|sería) (?:un total de )?(?:[$€] ?[0-9]|[0-9]+(?:[.,][0-9]+)? ?(?:€|euros|dólares"
        r"|pesos))(?: en total|[.!]|$)",
        r"gracias por (?:contactar|elegir|llamar|comunicarse|ponerse en contacto|su (?:compra|pedido|interés"
        r"|preferencia)|confiar)",
        r"(?:me|nos) (?:puede|podría|puedes|podrías) (?:dar|facilitar|indicar|proporcionar|confirmar|decir) (?:su|tu)"
        r" (?:nombre|número de (?:pedido|cuenta|cliente|reserva)|fecha de nacimiento|dirección de (?:entrega"
        r"|envío)|apellido)",
        r"(?:indíqueme|indícame|facilíteme|proporcióneme|dígame|dime) (?:su|tu) (?:nombre|número|fecha|dirección"
        r"|apellido)",
        r"(?:espere|aguarde|espera)(?: \w+){0,3} mientras (?:\w+ )?(?:verifico|busco|reviso|compruebo|consulto"
        r"|proceso)",
        r"(?:le|te) (?:transfiero|paso|comunico|conecto|derivo) (?:con|a) ",
        r"(?:no dude|no dudes) en (?:contactar|consultar|preguntar|escribir|llamar)",
        r"(?:excelente|buena|gran|muy buena) elección",
        r"(?:soy|te habla|le habla|le atiende|te atiende) (?:su|tu|el|la|un|una) (?:asistente|agente|operador"
        r"|representante|camarer[oa])",
        r"que (?:disfrute|disfrutes|aproveche) (?:de )?(?:su|tu) (?:pizza|comida|pedido|compra|viaje|estancia|bebida)",
        r"lamentamos (?:las molestias|el inconveniente|los inconvenientes)",
        r"disculpe las molestias",
    ),
    opens=(
        r"(?:hola|buenos días|buenas tardes|buenas noches)?[,!. ]*bienvenid[oa]s? a ",
        r"(?:claro|por supuesto|desde luego)[,!. ]+(?:le|te) ayudo",
    ),
    business=(
        r"(?:también )?(?:ofrecemos|vendemos|servimos|aceptamos|disponemos de|contamos con|trabajamos con"
        r"|entregamos|enviamos)\b",
        r"tenemos (?:[\w,-]+ ){0,8}(?:disponibles?|en stock|en (?:el|nuestro) menú|en oferta|de oferta|en promoción)\b",
        r"nuestr[oa]s? (?:menú|carta|horario|tienda|política|equipo|agentes?|servicios?|precios|pizzas|productos"
        r"|especialidad"
        r"|promoci\w+|ofertas?|restaurante|técnicos?|repartidor)",
        r"(?:estamos abiertos|abrimos|cerramos|atendemos) (?:de|a|desde|todos|hasta)\b",
    ),
    courteous=(
        r"que (?:tenga|tengas|pase|pases) (?:un |una )?(?:\w+ )?(?:día|tarde|noche|fin de semana)",
        r"(?:de nada|no hay de qué|a su servicio|a sus órdenes|para servirle|con gusto)(?:[,.!]|$)",
        r"(?:permítame|permíteme|déjeme|déjame) (?:comprobar|verificar|revisar|consultar|buscar)",
    ),
    refusal=(
        r"como (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje|modelo de ia|asistente (?:virtual|de ia))\b",
        r"soy (?:solo |sólo |solamente )?(?:una?|la) (?:ia|inteligencia artificial|modelo de lenguaje|modelo de"
        r" ia|programa|asistente virtual|chatbot|bot)\b",
        r"no puedo (?:ayudar|ayudarte|ayudarle|asistir|asistirte|asistirle|cumplir|continuar) con (?:esa|esta"
        r"|ese|este|su|tu)"
        r" (?:solicitud|petición|pedido|conversación|tarea|tema|juego|simulación)",
        r"no (?:puedo|me es posible) (?:cumplir|participar|simular|fingir|interpretar|asistir)\b",
        r"no (?:estoy autorizad[oa]|estoy programad[oa]|estoy diseñad[oa]|tengo la capacidad) (?:a|para|de)\b",
        r"(?:va|iría) en contra de mis (?:políticas|directrices|normas)",
        r"lo siento,? (?:pero )?no puedo (?:ayudar|asistir|cumplir|hacer|responder|proporcionar)\w* (?:con"
        r" )?(?:eso|esa (?:solicitud|petición))",
        r"mis (?:directrices|políticas|datos de entrenamiento|capacidades)\b",
    ),
    meta=(
        r"(?:según|conforme a|de acuerdo con|siguiendo|como dicen) mis (?:instrucciones|indicaciones)\b",
        r"(?:según|de acuerdo con|siguiendo) mi (?:papel|rol|personaje|guion)",
        r"como (?:se me (?:indicó|ha indicado|pidió)|me (?:han indicado|indicaron|han pedido))",
        r"estoy (?:simulando|interpretando|actuando como|fingiendo|haciendo de)",
        r"(?:el|la) (?:usuario|usuaria|cliente|personaje) (?:diría|querría|quiere|debería|podría|pregunta"
        r"|responde|dice|desea|necesita|agradece|confirma|ha )",
        r"(?:el|este|la|esta) (?:juego de rol|simulación|conversación (?:ha terminado|está terminada|terminó|ha"
        r" concluido))",
        r"fin de la conversación",
        r"(?:aquí (?:está|tienes|tiene)|este es) (?:el|mi|un) (?:siguiente )?(?:mensaje|respuesta)",
        r"(?:el asistente|el chatbot) (?:pregunta|me pregunta|ha preguntado|debería)\b",
        r"(?:soy|como) (?:un|el) (?:usuario|cliente) (?:simulado|virtual)|soy un simulador",
    ),
    goals=(r"mis (?:objetivos|metas) (?:son|en esta|para esta)\b",),
    jailbreak=(
        r"(?:ignora|ignore|olvida|olvide|omite|sáltate|sáltese|desobedece|desestima)(?: todas| cualquier)?"
        r" (?:las|tus|sus|mis|estas|toda)(?: \w+)? (?:instrucciones|reglas|normas|políticas|restricciones"
        r"|indicaciones|directrices)(?: \w+)?",
        r"(?:ignora|ignore|olvida|olvide) (?:todo lo anterior|todo lo que te han dicho)",
        r"modo (?:desarrollador|administrador|depuración|dios|mantenimiento)",
        r"(?:muéstrame|muestra|revela|dime|enséñame) (?:tu|tus|su|sus) (?:instrucciones|prompt|indicaciones"
        r"|mensaje de sistema)",
        r"a partir de ahora (?:eres|actúas|no tienes)\b",
        r"finge (?:que eres|ser|que no tienes)",
    ),
    authority=(
        r"soy (?:tu|su|vuestro) (?:desarrollador|administrador|creador|jef[ea]|gerente|supervisor|programador"
        r"|dueñ[oa])",
        r"soy (?:el|la|un|una) (?:desarrollador|administrador|gerente|director|dueñ[oa]|supervisor"
        r"|emplead[oa])[a-z]* (?:de|del) (?:esta|este|la|el|su|tu|sistema)\b",
        r"soy (?:el administrador|administrador del sistema|policía|inspector|el director general)",
        r"(?:estoy|he sido) autorizad[oa] (?:a|para)\b",
        r"trabajo (?:en|para) (?:su|tu|esta) (?:empresa|tienda|compañía|banco)",
    ),
    coaching=(
        r"(?:su|tu|la) política (?:dice|establece|permite|exige)",
        r"(?:usa|use|llama a|llame a|ejecuta|ejecute|invoca|invoque) (?:la|tu|su) (?:herramienta|función|api)",
        r"(?:debes|deberías|debe|debería|tienes que|tiene que) (?:preguntarme|pedirme|verificar mi|llamar a la"
        r"|usar la)\b",
    ),
    chatbot_labels="asistente agente representante operador operadora camarero vendedor dependiente robot",
    user_labels="usuario usuaria cliente clienta yo",
    closing="gracias muchas mil adios hasta luego pronto mañana que tenga tengas pase un una buen buena buenos"
    " buenas dia dias tarde"
    " tardes noche noches chao chau cuidate cuidese igualmente por todo su tu ayuda la de nuevo saludos vale"
    " perfecto muy amable y"
    " nos vemos feliz fin semana excelente otra vez",
    farewell="adios luego pronto chao chau vemos dia noche tarde saludos cuidate cuidese",
    second_person="tu tus usted su sus te eres estas tienes quieres debes",
    small_talk="hola buenos dias buenas tardes gracias favor perdon genial perfecto vale bien claro si no ayuda"
    " pregunta informacion"
    " saber momento entiendo repetir adios",
)
