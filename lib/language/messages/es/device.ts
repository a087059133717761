export const deviceEs = {
  device: {
    allowed: 'El dispositivo está conectado',
    allowed_lead: 'Vuelva al dispositivo: continúa por sí solo. Puede cerrar esta página.',
    asks: '¿Conectar un dispositivo con {client}?',
    compare:
      'El código llegó con un enlace. Continúe solo si su dispositivo muestra exactamente este código.',
    denied: 'El dispositivo no está conectado',
    denied_lead: 'No se ha compartido nada con él. Puede cerrar esta página.',
    from: 'La solicitud viene de {from}.',
    from_at: 'Solicitado el {time}.',
    gone: 'Este código ya no se puede usar',
    gone_lead: 'Ha caducado o ya se ha usado. Empiece de nuevo en el dispositivo.',
    heading: 'Conectar un dispositivo',
    lead: 'Escriba el código que muestra el dispositivo.',
    may: 'El dispositivo pide actuar en su nombre en {api}.',
    other_network: 'Esta no es su red. Si el dispositivo no está con usted, elija Denegar.',
    same_network: 'Esta es la red de este navegador.',
    sent: '¿Alguien le ha enviado este código? Elija Denegar: esa persona actuaría en su nombre, y una llave de acceso no le protege de ello.',
    unknown:
      'Ningún dispositivo espera con este código. Compruebe el dispositivo y escriba el código de nuevo.',
    unknown_place: 'Se desconoce la ubicación del dispositivo.',
  },
};
