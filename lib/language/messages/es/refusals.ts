import type { Messages } from '../types.ts';

export const refusalsEs: Pick<
  Messages,
  'address' | 'delegation' | 'own_account' | 'password' | 'second_step' | 'link'
> = {
  address: {
    change_gone:
      'Estos códigos ya se han usado, son demasiado antiguos o han sido erróneos demasiadas veces. Empiece de nuevo.',
    code_digits: 'Un código tiene seis cifras.',
    code_wrong: 'Uno de los dos códigos no es correcto.',
    configured: 'El archivo de configuración le describe: pida que cambien su dirección allí.',
    none: 'Aquí no hay ninguna dirección que cambiar.',
    none_to_verify: 'Aquí no hay ninguna dirección que confirmar.',
    same: 'Esta ya es su dirección.',
    taken: 'Esta dirección tiene ya una cuenta propia.',
  },
  delegation: {
    gone: 'El permiso de este agente ya había terminado.',
    no_agent: 'Este agente no puede actuar allí por nadie, o ya no puede.',
    scopes: 'Los scopes deben estar entre los que el agente tiene allí.',
    too_many: 'Una persona puede tener como máximo {most} agentes: termine uno primero.',
    until_far: 'El último día no puede estar a más de {days} días.',
    until_past: 'El último día debe ser posterior a hoy.',
  },
  own_account: {
    device_name: 'El nombre debe tener como máximo 60 caracteres.',
    consent_gone: 'Este consentimiento ya se revocó.',
    gone: 'Su cuenta ya no existe.',
    language: 'Debe ser un idioma, por ejemplo de o pt-BR.',
    link_gone: 'Este enlace ya se ha usado o es demasiado antiguo. Pida otro.',
    picture:
      'Debe ser una dirección https:// de 2048 caracteres como máximo, sin nombre de usuario ni contraseña.',
    session_gone: 'Esta sesión ya había terminado.',
    signed_out: 'Su sesión ha terminado. Inicie sesión de nuevo.',
    too_many_mails: 'Demasiados correos. Espere un rato y vuelva a intentarlo.',
    word: 'Debe escribir aquí la palabra delete.',
    zone: 'Debe ser una zona horaria, por ejemplo Europe/Berlin.',
  },
  password: {
    no_method: 'Aquí nadie inicia sesión con contraseña.',
    none: 'Aquí no hay contraseña que cambiar: usted inicia sesión en otro sitio.',
    same: 'Esta es su contraseña actual.',
    wrong: 'Esta no es su contraseña.',
  },
  second_step: {
    apps_full: 'Tiene cinco aplicaciones de autenticación, que es el máximo. Quite una primero.',
    app_changed: 'Su aplicación se ha sustituido o quitado mientras tanto: vuelva a abrir esta página.',
    app_gone: 'Esta aplicación ya se había quitado.',
    at_console: 'Esto se hace en la consola.',
    browser_gone: 'Este navegador ya se olvidó.',
    codes_alone:
      'Los códigos de recuperación sustituyen a una llave de acceso o a una aplicación que haya perdido: configure antes una de ellas.',
    due: 'Ahora hace falta un segundo factor: configure uno.',
    none: 'Su método de inicio de sesión no tiene aquí un segundo factor.',
    passkey_gone: 'Esta llave de acceso ya se había quitado.',
    passkey_name: 'El nombre debe tener de 1 a 60 caracteres.',
  },
  link: {
    must_change: 'Primero debe cambiar su contraseña.',
    no_longer_there: 'Ese método de inicio de sesión ya no existe. Elija otro.',
    too_many: 'Demasiados inicios de sesión desde su red. Espere un rato y vuelva a intentarlo.',
    at_console: 'Esto requiere iniciar sesión en la consola.',
    gone: 'Este método de inicio de sesión ya se había quitado.',
    has_password:
      'Ese inicio de sesión pertenece a una cuenta con contraseña. Inicie sesión con ella y añada allí este método.',
    has_second_step:
      'Ese inicio de sesión pertenece a una cuenta con su propio segundo factor. Inicie sesión con ella y quite antes ese factor.',
    in_use: 'Ahora tiene la sesión iniciada con él. Inicie sesión de otra forma y después quítelo.',
    last: 'Es el único método de inicio de sesión que tiene.',
    other_name: 'Ya inicia sesión allí con otro nombre. Quite primero ese.',
    proof_old:
      'Ese inicio de sesión es demasiado antiguo o pertenece a otra sesión de aquí. Empiece de nuevo.',
    silent: 'Ese servicio no responde. Inténtelo de nuevo dentro de un momento.',
    taken: 'Este método de inicio de sesión ya es suyo o ya no existe.',
    wrong: 'El nombre de usuario o la contraseña no son correctos.',
    yours: 'Este método de inicio de sesión ya es suyo.',
  },
};
