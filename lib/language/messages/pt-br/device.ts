export const devicePtBR = {
  device: {
    allowed: 'O dispositivo está conectado',
    allowed_lead: 'Volte ao dispositivo: ele continua sozinho. Você pode fechar esta página.',
    asks: 'Conectar um dispositivo com {client}?',
    compare:
      'O código veio com um link. Continue apenas se o seu dispositivo mostrar exatamente este código.',
    denied: 'O dispositivo não está conectado',
    denied_lead: 'Nada foi transmitido a ele. Você pode fechar esta página.',
    from: 'A solicitação vem de {from}.',
    from_at: 'Solicitado em {time}.',
    gone: 'Este código não pode mais ser usado',
    gone_lead: 'Ele expirou ou já foi usado. Comece de novo no dispositivo.',
    heading: 'Conectar um dispositivo',
    lead: 'Digite o código que o dispositivo mostra.',
    may: 'O dispositivo pede para agir em seu nome em {api}.',
    other_network: 'Esta não é a sua rede. Se o dispositivo não está com você, escolha Negar.',
    same_network: 'Esta é a rede deste navegador.',
    sent: 'Alguém enviou este código a você? Escolha Negar: essa pessoa agiria em seu nome, e uma chave de acesso não protege você disso.',
    unknown: 'Nenhum dispositivo espera com este código. Olhe o dispositivo e digite o código de novo.',
    unknown_place: 'A localização do dispositivo é desconhecida.',
  },
};
