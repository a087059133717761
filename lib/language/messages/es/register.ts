export const registerEs = {
  register: {
    another_address: 'Usar otra dirección',
    another_code: 'Enviar otro código',
    approval_lead: 'Alguien decide si la obtiene. Demuestre primero que la dirección es suya.',
    approved: 'Inicie sesión con la contraseña que eligió.',
    approved_elsewhere: 'Vuelva a la aplicación e inicie sesión allí con la contraseña que eligió.',
    ask: 'Solicitar la cuenta',
    closed: 'Las cuentas las crea quien gestiona este servicio. Vuelva a la aplicación o pregunte allí.',
    closed_heading: 'Aquí no se pueden crear cuentas',
    code_heading: 'Escriba el código',
    code_hint:
      'Seis cifras; el enlace que las acompaña hace lo mismo en este navegador. ¿No ha llegado nada? Mire en el correo no deseado.',
    code_lead: 'Hemos enviado un correo a {email}. Su código sirve durante diez minutos.',
    create: 'Crear la cuenta',
    elsewhere:
      'Este enlace funciona durante diez minutos en el navegador que lo pidió. Escriba allí el código del correo, o vuelva a la aplicación y empiece de nuevo.',
    elsewhere_heading: 'Escriba el código donde empezó',
    email_hint: 'Allí llegará un código que demuestra que es suya.',
    full: 'Por ahora nadie más puede solicitar una cuenta, y no se ha guardado nada de esto. Inténtelo otro día.',
    full_heading: 'Hay demasiadas personas en espera',
    gone: 'El formulario se envió dos veces o demasiado tarde. Inicie sesión con la contraseña que eligió o empiece de nuevo.',
    gone_heading: 'Esta página ya ha cumplido su función',
    invitation_gone:
      'Ya se ha usado o retirado, o es demasiado antigua. Si creó su cuenta con ella, inicie sesión; si no, pregunte a quien le invitó.',
    invitation_gone_heading: 'Esta invitación no funciona',
    invited_lead: 'Le han invitado como {email}. Elija cómo iniciar sesión.',
    lead: 'Solo hacen falta una dirección de correo electrónico y una contraseña.',
    link_heading: 'Confirme su dirección',
    link_lead:
      'Ha abierto el correo enviado a {email}. Continúe aquí, o no haga nada si no ha pedido ninguna cuenta.',
    name: 'Nombre',
    name_wrong: 'Este nombre es demasiado largo o contiene caracteres invisibles.',
    not_an_address: 'Esto no es una dirección de correo electrónico. Tiene la forma ada@example.com.',
    password_heading: 'Elija una contraseña',
    password_hint:
      'Al menos {least} caracteres de cualquier tipo. Varias palabras seguidas van bien; su nombre y su dirección, no.',
    password_lead: '{email} es suya. Elija ahora cómo iniciar sesión con ella.',
    ready: 'Su dirección está confirmada y ya puede iniciar sesión con su contraseña.',
    ready_heading: 'Su cuenta está lista',
    send: 'Enviar el código',
    sent_again: 'Hemos enviado otro código. El anterior ya no funciona.',
    taken:
      'Mientras tanto, alguien ha creado una para su dirección. Inicie sesión o elija una contraseña nueva.',
    taken_heading: 'Ya tiene una cuenta',
    too_many_mails: 'Se han pedido demasiados correos. Espere un rato y vuelva a intentarlo.',
    waits:
      'Alguien decide si obtiene una cuenta, y un correo se lo comunicará. Después inicie sesión con la contraseña que eligió.',
    waits_already:
      'Ya había solicitado una cuenta, y esa solicitud sigue en pie, con la contraseña que eligió entonces. Un correo le comunicará la decisión.',
    wrong_code: 'Ese código no es correcto. Tras cinco códigos erróneos, pida otro.',
    wrong_link: 'Este enlace es demasiado antiguo o pertenece a otro correo. Escriba el código en su lugar.',
  },
  new_password: {
    fair: 'Aceptable: otra palabra la hace mucho más segura',
    good: 'Buena',
    hide: 'Ocultar',
    known: 'Esta contraseña es demasiado fácil de adivinar: la usa mucha gente.',
    leaked: 'Otras personas conocen esta contraseña: apareció en una filtración de datos.',
    long: 'Una contraseña tiene como máximo 200 caracteres.',
    more: '{count, plural, one {Falta # carácter} many {Faltan # caracteres} other {Faltan # caracteres}}',
    own_words:
      'Esta contraseña es demasiado fácil de adivinar: es una dirección o un nombre que otros conocen.',
    short: 'Una contraseña tiene al menos {least} caracteres.',
    show: 'Mostrar',
    strong: 'Segura',
    too_easy: 'Esta contraseña es demasiado fácil de adivinar.',
    weak: 'Débil: los mismos caracteres una y otra vez',
  },
  passkey: {
    asking:
      'Su navegador le pide ahora su llave de acceso. Si no ocurre nada, vuelva a pulsar el botón o elija otra forma.',
    exists_there: 'Ya hay una llave de acceso para esta cuenta en ese dispositivo.',
    full: 'Tiene 20 llaves de acceso. Quite una que ya no use y después añada esta.',
    nothing_used: 'No se ha usado ninguna llave de acceso. Puede volver a intentarlo o elegir otra forma.',
    picture: 'Código QR para una aplicación de autenticación',
  },
  page: {
    copied: 'Copiado',
    framed: 'No dentro de un marco',
    framed_lead:
      'Esta página no se muestra dentro de otra. Abra su dirección en la propia ventana o pida con prompt=none.',
    yours: 'Ese inicio de sesión es suyo.',
  },
};
