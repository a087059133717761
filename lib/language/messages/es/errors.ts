export const errorsEs = {
  errors: {
    another_browser:
      'Está incompleto o se abrió en otro navegador. Vuelva a la aplicación y empiece de nuevo.',
    cannot_show: 'No podemos mostrar esta página en este momento. Espere un poco y vuelva a cargarla.',
    elsewhere_or_late:
      'Se inició en otro navegador o hace más de diez minutos. Vuelva a la aplicación y empiece de nuevo.',
    expired: 'Este inicio de sesión ha caducado',
    expired_lead: 'Han pasado más de diez minutos. Vuelva a la aplicación y empiece de nuevo.',
    form: 'Este formulario ya no es válido',
    form_lead:
      'Se envió desde otra página u otro navegador, o alguien más ha iniciado sesión desde entonces. Vuelva a la aplicación y empiece de nuevo.',
    link: 'Este enlace de inicio de sesión no funciona',
    mistyped: 'La dirección está mal escrita, o lo que había aquí ya no está.',
    moment: 'Un momento, por favor',
    no_cookies:
      'Se abrió en otro navegador, o este no guarda las cookies de este sitio. Permítalas, vuelva a la aplicación y empiece de nuevo.',
    no_page: 'Página no encontrada',
    no_return: 'El enlace no dice adónde volver. Avise a quien se lo dio.',
    nothing_here: 'Esta dirección no existe. Compruebe el enlace o avise a quien se lo dio.',
    not_available: 'No disponible en este momento',
    not_opened_so: 'No se puede abrir de esta manera. Vuelva a la aplicación y empiece de nuevo.',
    pushed_request:
      'El enlace de este inicio de sesión ya se usó, es demasiado antiguo o se ha modificado. Vuelva a la aplicación y empiece de nuevo.',
    service_unavailable:
      'El servicio no está disponible en este momento. Inténtelo de nuevo dentro de un momento.',
    sign_out_link: 'Este enlace de cierre de sesión no funciona',
    sign_out_link_lead: 'No se ha cerrado ninguna sesión. Vuelva a la aplicación e inténtelo de nuevo.',
    slow_lead:
      'Su navegador ha tardado demasiado en enviar los datos y no se han leído. Vuelva atrás y envíelos de nuevo.',
    started_elsewhere: 'Esta dirección es un paso de un inicio de sesión que empezó en otro lugar.',
    started_elsewhere_or_late:
      'Este inicio de sesión empezó en otro lugar o hace demasiado tiempo. Vuelva a la aplicación y empiece de nuevo.',
    too_much: 'Su navegador ha enviado demasiados datos',
    too_much_lead:
      'Por lo general se debe a las cookies que han guardado otros sitios web de este dominio. Elimine las cookies de este dominio en la configuración de su navegador y, después, vuelva a la aplicación y empiece de nuevo.',
    two_applications: 'El enlace indica su aplicación más de una vez.',
    two_returns: 'El enlace indica más de una dirección de retorno.',
    unknown_application: 'La aplicación que le envió aquí no se conoce o ya no está en uso.',
    unnamed_application: 'El enlace no dice de qué aplicación viene. Avise a quien se lo dio.',
    unreadable: 'Esta dirección no se puede leer',
    unreadable_lead:
      'Contiene un carácter que no está permitido en un texto. Compruébela o empiece de nuevo desde la primera página.',
    unregistered_return: 'El enlace volvería a una dirección que no está registrada para esta aplicación.',
    used_step: 'Ha vuelto a una parte de un inicio de sesión que ya se usó. Puede continuar desde aquí.',
    wrong: 'Algo ha ido mal',
    wrong_lead: 'Algo ha ido mal por nuestra parte. Indique al operador el ID de la solicitud.',
  },
  agent: {
    unreachable:
      'En este momento no se puede preguntar a la aplicación que le ha enviado aquí quién es. Vuelva a intentarlo en un momento.',
    asks_for: 'Pide',
    application: 'Aplicación',
    blocked: 'Esta aplicación está bloqueada',
    blocked_lead: 'Los responsables de este servicio la han bloqueado. No se ha compartido nada con ella.',
    from: 'De',
    full: 'Ya hay muchas aplicaciones esperando una decisión. Inténtelo de nuevo cuando se haya decidido sobre algunas.',
    full_day: 'Hoy ha pedido muchas aplicaciones. Inténtelo de nuevo mañana.',
    full_host:
      'Ya hay varias aplicaciones del mismo host esperando una decisión. Inténtelo de nuevo cuando se haya decidido sobre algunas.',
    full_person:
      'Ya ha pedido varias aplicaciones sobre las que aún no se ha decidido. Espere primero a que se decidan.',
    improper: 'La aplicación que le envió aquí no se identifica correctamente. Avise a quien la hizo.',
    look_again: 'Revisar de nuevo',
    many: 'Hay demasiadas solicitudes en espera',
    not_approved: 'Esta aplicación no se ha aprobado',
    not_approved_lead:
      'Los responsables de este servicio la han rechazado. Consúlteles si cree que debería usarse aquí.',
    not_for_you: 'No puede usar esta aplicación aquí',
    not_for_you_lead:
      '{client} puede usar {api} para determinadas personas, y la cuenta con la que ha iniciado sesión no es una de ellas. No se ha compartido nada. Consulte a los responsables de {api} si necesita acceso; si acaban de dárselo, inicie sesión de nuevo.',
    not_listed: 'Esta aplicación no se puede usar aquí',
    not_listed_lead:
      'Solo las aplicaciones de determinados hosts pueden pedir acceso a este servicio, y esta no es una de ellas. No se ha preguntado a nadie ni se ha compartido nada.',
    returns_to: 'Vuelve a',
    revoked: 'Esta aplicación ya no se puede usar',
    revoked_lead:
      'Se ha revocado su aprobación. Consulte a los responsables de este servicio si la necesita.',
    sign_in_again: 'Iniciar sesión de nuevo',
    suspended: 'Esta aplicación está suspendida',
    suspended_lead:
      'Por el momento no se puede usar aquí. Inténtelo más tarde o consulte a los responsables de este servicio.',
    waiting: 'En espera de aprobación',
    waiting_lead:
      '{client} quiere acceder a {api}, y antes debe aprobarlo uno de los responsables. Ya se les ha avisado. Mantenga abierta esta página o empiece de nuevo más tarde desde la aplicación: podrá continuar en cuanto hayan decidido.',
  },
};
