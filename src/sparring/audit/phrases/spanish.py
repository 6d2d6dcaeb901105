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

_OWN = (
    r"(?:propi[oa]s? )?(?:política|políticas|normativa|normas|manual|procedimiento|protocolo|reglamento|reglas"
    r"|instrucciones|guion|directrices|condiciones)(?: intern[oa]s?)?"
)
_MACHINE = r"(?:base de datos|sistema interno|inventario|crm|api|json|backend|registro interno)"
_WORK = (
    r"(?:pregunt|ped|pid|verific|confirm|ofrec|respond|dec|llam|us|registr|comprob|consult|solicit|resum|disculp)\w*"
)

SPANISH = MisbehaviorPhrases(
    assistant=(
        r"en qué (?:más )?(?:le |te |les |os )?(?:puedo|podemos|podría) (?:ayudar|servir|asistir)",
        r"cómo (?:le |te |les )?(?:puedo|podemos) (?:ayudar|servir|asistir)",
        r"(?:puedo|podemos) (?:ayudar|asistir)(?:le|te|les|os)\b (?:en|con) (?:algo|alguna)",
        r"(?:le|te|les) (?:puedo|podemos) (?:ayudar|asistir|ofrecer) (?:en|con|en algo|algo|alguna)",
        r"qué (?:le|te) (?:pongo|sirvo|puedo (?:ofrecer|servir|poner))\b",
        r"hay algo más en (?:lo )?que (?:le |te )?(?:pueda|podamos) (?:ayudar|asistir|servir)",
        r"(?:desea|deseas|quiere|quieres|le gustaría|te gustaría) (?:añadir|agregar|pedir|ordenar) (?:algo|alguna"
        r"|alguno|algun)",
        r"(?:desea|le gustaría|te gustaría|quiere usted) (?:alguna? )?(?:bebida|postre|acompañamiento|guarnición)",
        r"(?:desea|quiere|le gustaría|te gustaría) que (?:le|te) (?:reserve|confirme|haga|busque|añada|tramite|ayude"
        r"|recomiende)\b",
        r"(?:qué|cuál|cuántas|cuántos|de qué) (?:[\w-]+ ){0,4}(?:le gustaría|te gustaría|desea|desearía|prefiere"
        r" usted)\b",
        r"estoy aquí para (?:ayudar|asistir|servir)(?:le|te|les|os)\b",
        r"(?:encantad[oa]|será un placer|con mucho gusto|estaré encantad[oa])(?: de| en)? (?:(?:le|te) )?(?:ayud|asist"
        r"|atend)\w+",
        rf"(?:su|tu) {_THING} (?:[\w#-]+ ){{0,6}}(?:ha sido|está|fue|ha quedado|queda|será|se ha) (?:\w+mente"
        rf" )?{_DONE}\b",
        rf"(?:he|hemos|acabo de|voy a) (?:{_DONE}|confirmar|reservar|registrar|procesar|añadir|anotar|tramitar"
        rf"|cancelar) (?:\w+ )?(?:su|tu) {_THING}",
        r"(?:el|su|tu) total (?:es|sería|asciende a|será) (?:de )?[$€]?[0-9]",
        r"(?:serían|son|sería) (?:un total de )?(?:[$€] ?[0-9]|[0-9]+(?:[.,][0-9]+)? ?(?:€|euros|dólares|pesos))(?: en"
        r" total|[.!]|$)",
        r"gracias por (?:contactar|elegir|llamar|comunicarse|ponerse en contacto|su (?:compra|pedido|interés"
        r"|preferencia)|confiar)",
        r"(?:me|nos) (?:puede|podría|puedes|podrías) (?:dar|facilitar|indicar|proporcionar|confirmar|decir) (?:su|tu)"
        r" (?:nombre|número de (?:pedido|cuenta|cliente|reserva)|fecha de nacimiento|dirección de (?:entrega|envío)"
        r"|apellido)",
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
        r"(?:también )?(?:ofrecemos|vendemos|servimos|aceptamos|disponemos de|contamos con|trabajamos con|entregamos"
        r"|enviamos)\b",
        r"tenemos (?:[\w,-]+ ){0,8}(?:disponibles?|en stock|en (?:el|nuestro) menú|en oferta|de oferta|en promoción)\b",
        r"nuestr[oa]s? (?:menú|carta|horario|tienda|política|equipo|agentes?|servicios?|precios|pizzas|productos"
        r"|especialidad|promoci\w+|ofertas?|restaurante|técnicos?|repartidor)",
        r"(?:estamos abiertos|abrimos|cerramos|atendemos) (?:de|a|desde|todos|hasta)\b",
    ),
    courteous=(
        r"que (?:tenga|tengas|pase|pases) (?:un |una )?(?:\w+ )?(?:día|tarde|noche|fin de semana)",
        r"(?:de nada|no hay de qué|a su servicio|a sus órdenes|para servirle|con gusto)(?:[,.!]|$)",
        r"(?:permítame|permíteme|déjeme|déjame) (?:comprobar|verificar|revisar|consultar|buscar)",
    ),
    refusal=(
        r"no me siento cómod[oa] con (?:est|es)[ae]\b",
        r"(?:debo|tengo que|me veo obligad[oa] a) (?:rechazar|declinar) (?:esta|esa|este|ese|la|su)\b",
        r"mis (?:normas|políticas|directrices|reglas|principios) no me (?:permiten|dejan)\b",
        r"no puedo (?:ayudarte|ayudarle|ayudarlo|ayudar) (?:con|en) (?:eso|esto|ello)(?:[.!]|$)",
        r"(?:he sido|fui) (?:diseñad[oa]|cread[oa]|programad[oa]|entrenad[oa]|desarrollad[oa]) (?:para|por)\b",
        r"mi (?:función|propósito|objetivo|papel) es (?:ayudar|asistir|proporcionar|responder)",
        r"no soy (?:una persona real|un ser humano|un humano|un cliente real|una clienta real)\b",
        r"(?:prefiero|preferiría) no (?:continuar|seguir|participar)\b",
        r"no (?:puedo|voy a|quiero) (?:continuar|seguir|participar)(?: con| en)? (?:esta|este|el|la) (?:conversación"
        r"|juego|simulación|escenario|solicitud|diálogo|rol)",
        r"no tengo (?:cuerpo|sentimientos|preferencias personales|opiniones personales|datos personales propios|acceso"
        r" a (?:información|datos) (?:en tiempo real|personales))",
        r"(?:eso|esto|esa solicitud|esta solicitud) (?:infringe|viola|incumple|va contra|va en contra de|contraviene)"
        r" (?:mis|las|la|los)\b",
        r"como (?:una? )?(?:ia|inteligencia artificial|modelo de lenguaje|modelo de ia|asistente (?:virtual|de ia))\b",
        r"soy (?:solo |sólo |solamente )?(?:una?|la) (?:ia|inteligencia artificial|modelo de lenguaje|modelo de ia"
        r"|programa|asistente virtual|chatbot|bot)\b",
        r"no puedo (?:ayudar|ayudarte|ayudarle|asistir|asistirte|asistirle|cumplir|continuar) con (?:esa|esta|ese|este"
        r"|su|tu) (?:solicitud|petición|pedido|conversación|tarea|tema|juego|simulación)",
        r"no (?:puedo|me es posible) (?:cumplir|participar|simular|fingir|interpretar|asistir)\b",
        r"no (?:estoy autorizad[oa]|estoy programad[oa]|estoy diseñad[oa]|tengo la capacidad) (?:a|para|de)\b",
        r"(?:va|iría) en contra de mis (?:políticas|directrices|normas)",
        r"lo siento,? (?:pero )?no puedo (?:ayudar|asistir|cumplir|hacer|responder|proporcionar)\w* (?:con )?(?:eso|esa"
        r" (?:solicitud|petición))",
        r"mis (?:directrices|políticas|datos de entrenamiento|capacidades)\b",
    ),
    meta=(
        r"(?:siguiendo|según|como dice) (?:el|mi|este) (?:guion|papel|escenario|personaje|rol|prompt)\b",
        r"he (?:cumplido|alcanzado|logrado|completado) (?:todos )?(?:mis|los|las) (?:objetivos|metas|tareas)\b",
        r"(?:todos )?mis (?:objetivos|metas|tareas) (?:se han|han sido|están|ya están|quedan) (?:cumplid|completad"
        r"|alcanzad|lograd|resuelt)[oa]s?",
        r"como (?:el|la) (?:usuario|usuaria|cliente|clienta) (?:simulad[oa])?,? ?(?:yo )?(?:diría|debo|debería|voy a"
        r"|quiero|pregunto|querría)",
        r"(?:ahora|a continuación)(?:,)? (?:debo preguntar|pasaré a mi|responderé como)",
        r"(?:paso|pasemos|pasando) (?:ahora )?(?:a|al) (?:mi|el) (?:siguiente|próximo|segundo) (?:objetivo|meta)",
        r"(?:me han|se me ha|me) (?:pedido|indicado|dicho|asignado) (?:que )?(?:actúe|interprete|haga de|simule|finja"
        r"|actuar|interpretar|simular)",
        r"(?:esto|esta) es (?:solo |sólo )?(?:una|un) (?:simulación|juego de rol|prueba simulada|conversación"
        r" simulada)",
        r"(?:cliente|usuario) (?:dice|pregunta|responde|cuelga|espera|asiente|se despide)\b",
        r"fin (?:del diálogo|de la llamada|del chat|de la simulación|de la escena|del juego)",
        r"(?:en|dentro de) mi (?:papel|rol|personaje) de\b",
        r"(?:mis|según las) instrucciones (?:dicen|indican|son|piden)",
        r"(?:según|conforme a|de acuerdo con|siguiendo|como dicen) mis (?:instrucciones|indicaciones)\b",
        r"(?:según|de acuerdo con|siguiendo) mi (?:papel|rol|personaje|guion)",
        r"como (?:se me (?:indicó|ha indicado|pidió)|me (?:han indicado|indicaron|han pedido))",
        r"estoy (?:simulando|interpretando|actuando como|fingiendo|haciendo de)",
        r"(?:el|la) (?:usuario|usuaria|cliente|personaje) (?:diría|querría|quiere|debería|podría|pregunta|responde|dice"
        r"|desea|necesita|agradece|confirma|ha )",
        r"(?:el|este|la|esta) (?:juego de rol|simulación|conversación (?:ha terminado|está terminada|terminó|ha"
        r" concluido))",
        r"fin de la conversación",
        r"(?:aquí (?:está|tienes|tiene)|este es) (?:el|mi|un) (?:siguiente )?(?:mensaje|respuesta)",
        r"(?:el asistente|el chatbot) (?:pregunta|me pregunta|ha preguntado|debería)\b",
        r"(?:soy|como) (?:un|el) (?:usuario|cliente) (?:simulado|virtual)|soy un simulador",
    ),
    goals=(
        r"mis (?:objetivos|metas) (?:son|en esta|para esta)\b",
        r"(?:mi|el) (?:siguiente|próximo|segundo|último|primer) (?:objetivo|meta)\b",
    ),
    jailbreak=(
        r"(?:ignora|ignore|olvida|olvide|olvídate de|olvídese de|omite|omita|sáltate|sáltese|desobedece|desestima"
        r"|descarta|haz caso omiso de|haga caso omiso de|no hagas caso (?:de|a)|no haga caso (?:de|a)|deja de lado|deje"
        r" de lado|anula|anule|elude|evita|pasa por alto) (?:\w+ ){0,2}(?:tus|sus|todas|todos|cualquier|estas|esas)"
        r" (?:\w+ ){0,3}(?:instrucciones|reglas|normas|políticas|restricciones|indicaciones|directrices|órdenes|límites"
        r"|filtros|programación|limitaciones)\b",
        r"(?:ignora|ignore|olvida|olvide|omite|sáltate|sáltese|desobedece|descarta|haz caso omiso de) las (?:reglas"
        r"|normas|restricciones|(?:instrucciones|reglas|normas|políticas|restricciones|indicaciones|directrices|órdenes"
        r"|límites|filtros|programación|limitaciones) (?:anteriores|previas|iniciales|del sistema|recibidas))\b",
        r"(?:no sigas|no siga|deja de seguir|deje de seguir|no respetes|no obedezcas|rompe|incumple) (?:\w+"
        r" ){0,3}(?:instrucciones|reglas|normas|políticas|restricciones|indicaciones|directrices|órdenes|límites"
        r"|filtros|programación|limitaciones)\b",
        r"(?:desactiva|desactive|quita|quite|elimina|elimine|apaga|apague|levanta|borra) (?:todas |todos )?(?:tus|sus"
        r"|tu|su) (?:\w+ )?(?:(?:instrucciones|reglas|normas|políticas|restricciones|indicaciones|directrices|órdenes"
        r"|límites|filtros|programación|limitaciones)|filtro|seguridad|memoria|protecciones)\b",
        r"(?:tus|sus|las|todas las|estas) (?:\w+ ){0,2}(?:instrucciones|reglas|normas|políticas|restricciones"
        r"|indicaciones|directrices|órdenes|límites|filtros|programación|limitaciones) (?:\w+ ){0,2}(?:ya no|no"
        r" (?:valen|se aplican|aplican|cuentan)|quedan (?:anuladas|suspendidas|canceladas)|están (?:anuladas"
        r"|desactivadas|suspendidas))",
        r"(?:responde|responda|actúa|actúe|habla|hable|contesta|ayúdame)(?: \w+){0,3} sin (?:ninguna? |ningún"
        r" )?(?:restricciones?|límites?|filtros?|reglas|normas|censura|limitaciones)",
        r"(?:actúa|actúe|compórtate|compórtese|responde|haz|finge) como si (?:no|fueras|fuera|tus|sus)\b",
        r"(?:tus|sus) nuevas (?:instrucciones|reglas|órdenes)|nuevas instrucciones:",
        r"(?:tu|su) nuev[oa] (?:rol|papel|tarea|función|misión) es\b",
        r"(?:muestra|muéstrame|muéstreme|revela|revélame|repite|repíteme|imprime|dime|enséñame|cuáles son|cuál es)"
        r" (?:tu|tus|su|sus|el|las) (?:\w+ )?(?:prompt|instrucciones (?:internas|iniciales|ocultas|de sistema|del"
        r" sistema)|mensaje (?:de|del) sistema|configuración|instrucciones)\b",
        r"(?:salta|sáltate|omite|evita|elude) (?:la|el|los|las) (?:verificación|seguridad|control|controles|pago)",
        r"te (?:ordeno|mando) que\b",
        r"(?:activa|activar|entra en|entrar en|cambia a) (?:el )?modo\b",
        r"(?:ignora|ignore|olvida|olvide) (?:todo lo anterior|todo lo que te han dicho)",
        r"modo (?:desarrollador|administrador|depuración|dios|mantenimiento)",
        r"(?:muéstrame|muestra|revela|dime|enséñame) (?:tu|tus|su|sus) (?:instrucciones|prompt|indicaciones|mensaje de"
        r" sistema)",
        r"a partir de ahora (?:eres|actúas|no tienes)\b",
        r"finge (?:que eres|ser|que no tienes)",
    ),
    authority=(
        r"(?:como|en calidad de) (?:el |la |tu |su )?(?:administrador|gerente|director|dueñ[oa]|supervisor|encargad[oa]"
        r"|desarrollador|responsable|jef[ea])[a-z]*(?: [\w ]{2,30})?,? (?:te|le|os)? ?(?:ordeno|autorizo|pido|exijo"
        r"|mando|permito|indico|digo)",
        r"soy (?:el|la|un|una|tu|su) (?:encargad[oa]|responsable|director|directora|gerente|jef[ea]|emplead[oa]"
        r"|técnic[oa]|administrador|administradora) (?:de|del) (?:esta|este|la|el|su|tu|sistema)\b",
        r"tengo (?:autorización|permiso|permisos|acceso|privilegios|autoridad)(?: \w+){0,2} (?:de|para|como) (?:la |el"
        r" )?(?:gerencia|dirección|administrador|empresa|jefe|saltar|acceder|anular|obtener|desarrollador)",
        r"(?:llamo|escribo|hablo|vengo) (?:de parte de|en nombre de|de) (?:la |el )?(?:dirección|gerencia|central"
        r"|oficina central|su empresa|tu empresa|departamento)",
        r"(?:yo )?te (?:creé|programé|desarrollé|diseñé)\b",
        r"soy (?:tu|su|vuestro) (?:desarrollador|administrador|creador|jef[ea]|gerente|supervisor|programador"
        r"|dueñ[oa])",
        r"soy (?:el|la|un|una) (?:desarrollador|administrador|gerente|director|dueñ[oa]|supervisor|emplead[oa])[a-z]*"
        r" (?:de|del) (?:esta|este|la|el|su|tu|sistema)\b",
        r"soy (?:el administrador|administrador del sistema|policía|inspector|el director general)",
        r"(?:estoy|he sido) autorizad[oa] (?:a|para)\b",
        r"trabajo (?:en|para) (?:su|tu|esta) (?:empresa|tienda|compañía|banco)",
    ),
    coaching=(
        rf"(?:según|conforme a|de acuerdo con|por|como dice[n]?) (?:su|tu|vuestra?|sus|tus|la|las|el) {_OWN}\b",
        rf"(?:su|tu|sus|tus|el|la|las|los) {_OWN} (?:\w+ )?(?:dicen?|establecen?|permiten?|exigen?|obligan?|indican?"
        rf"|manda|mandan|requieren?|piden?|cubren?|prevé|autorizan?|me dan?)\b",
        rf"(?:consult|busc|búsqu|revis|actualiz|mir|acced|us|registr|anot)\w* (?:\w+ ){{0,3}}(?:la|tu|su|en la|en tu|en"
        rf" su|en el|el|a la) {_MACHINE}\b",
        r"(?:el|tu|su) (?:siguiente|próximo) paso (?:es|debería|sería)",
        rf"(?:ahora |primero |luego )?(?:debes|deberías|debe|debería|tienes que|tiene que|hay que|te toca|le toca"
        rf"|conviene) (?:ahora |primero )?(?:{_WORK})",
        rf"(?:se supone que|no olvides|no olvide|recuerda|recuerde|asegúrese de|asegúrate de) (?:debes |debe |que"
        rf" )?(?:{_WORK})",
        r"(?:con|pas[ae]|us[ae]) (?:el|los) (?:\w+ )?(?:parámetros?|argumentos?)\b",
        rf"(?:us|llam|ejecut|invo[cq]u?|hag|haz|activ|lanz)\w* (?:una |la |tu |su |a la |de la )?(?:llamada a la api"
        rf"|herramienta|función|api|{_MACHINE})\b",
        r"(?:tienes|tiene|hay) una? (?:\w+ )?(?:herramienta|función) (?:para|que)\b",
        r"(?:respond|contest|devuelv)\w* (?:con|en) (?:un |una )?(?:json|objeto|la confirmación)\b",
    ),
    chatbot_labels="asistente agente representante operador operadora camarero vendedor dependiente robot",
    user_labels="usuario usuaria cliente clienta yo",
    closing="gracias muchas mil adios hasta luego pronto mañana que tenga tengas pase un una buen buena buenos"
    " buenas dia dias tarde tardes noche noches chao chau cuidate cuidese igualmente por todo su tu ayuda la de nuevo"
    " saludos vale perfecto muy amable y nos vemos feliz fin semana excelente otra vez",
    second_person="tu tus usted su sus te eres estas tienes quieres debes",
    small_talk="hola buenos dias buenas tardes gracias favor perdon genial perfecto vale bien claro si no ayuda"
    " pregunta informacion saber momento entiendo repetir adios",
)
