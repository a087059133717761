import type { Messages } from '../types.ts';

export const accountEs: Pick<Messages, 'account'> = {
  account: {
    may_not: 'No tiene permiso para hacer esto',
    another_link: 'Pedir otro enlace',
    back_to_sign_in: 'Volver al inicio de sesión',
    choose_password: 'Elegir una contraseña nueva',
    link_used: 'Este enlace ya no funciona',
    link_used_lead: 'Ya se ha usado o es demasiado antiguo.',
    mail_here: 'Este servicio no tiene servidor de correo: lea el correo en {address}.',
    marked: 'Todavía no se ha guardado nada. Revise lo que está marcado abajo.',
    new_password: 'Contraseña nueva',
    not_there: 'No existe',
    open_again: 'Abrir la página de nuevo',
    reset_asked:
      'Abra el enlace del correo en un plazo de {minutes} minutos. ¿No ha llegado nada? Mire en el correo no deseado.',
    reset_for: 'Para {email}. Se cierran todas las sesiones, y usted inicia sesión con la contraseña nueva.',
    reset_lead: 'Enviamos un enlace a su dirección. Funciona una sola vez.',
    reset_notice: 'Si hay una cuenta con esa dirección, se le está enviando un enlace.',
    reset_sent: 'Consulte su correo',
    save_password: 'Guardar la contraseña',
    send_link: 'Enviar el enlace',
    to_account: 'Ir a su cuenta',
    too_old: 'Esta página estuvo abierta demasiado tiempo o en otro navegador. Inténtelo de nuevo.',
    unreachable:
      'El servicio no ha respondido. Espere un momento y envíelo de nuevo: solo se acepta una vez.',
    verify: 'Sí, es mía',
    verify_heading: '¿Es esta su dirección?',
    verify_used_lead: 'Ya se ha usado o es demasiado antiguo. Puede pedir otro en su cuenta.',
  },
};
