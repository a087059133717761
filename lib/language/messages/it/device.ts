export const deviceIt = {
  device: {
    allowed: 'Il dispositivo è collegato',
    allowed_lead: 'Torni al dispositivo: continua da solo. Può chiudere questa pagina.',
    asks: 'Collegare un dispositivo con {client}?',
    compare:
      'Il codice è arrivato con un link. Continui solo se il Suo dispositivo mostra esattamente questo codice.',
    denied: 'Il dispositivo non è collegato',
    denied_lead: 'Non gli è stato trasmesso nulla. Può chiudere questa pagina.',
    from: 'La richiesta viene da {from}.',
    from_at: 'Richiesto il {time}.',
    gone: 'Questo codice non può più essere usato',
    gone_lead: 'È scaduto o è già stato usato. Ricominci dal dispositivo.',
    heading: 'Collegare un dispositivo',
    lead: 'Inserisca il codice mostrato dal dispositivo.',
    may: 'Il dispositivo chiede di agire a Suo nome presso {api}.',
    other_network: 'Questa non è la Sua rete. Se il dispositivo non è con Lei, scelga Nega.',
    same_network: 'Questa è la rete di questo browser.',
    sent: 'Un’altra persona Le ha inviato questo codice? Scelga Nega: agirebbe a Suo nome, e una passkey non La protegge da questo.',
    unknown:
      'Nessun dispositivo è in attesa con questo codice. Controlli il dispositivo e inserisca di nuovo il codice.',
    unknown_place: 'La posizione del dispositivo è sconosciuta.',
  },
};
