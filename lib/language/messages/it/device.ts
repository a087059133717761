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
    gone_lead: 'È scaduto, oppure la decisione è già stata presa. Ricominci dal dispositivo.',
    heading: 'Collegare un dispositivo',
    lead: 'Inserisca il codice mostrato dal dispositivo.',
    may: 'Il dispositivo chiede di agire in Suo nome presso {api}.',
    other_network: 'Questa non è la Sua rete. Se il dispositivo non è presso di Lei, scelga Nega.',
    same_network: 'Questa è la rete di questo browser.',
    sent: 'Qualcuno Le ha inviato questo codice? Scelga Nega: quella persona agirebbe in Suo nome, e una passkey non La protegge da questo.',
    unknown:
      'Nessun dispositivo è in attesa con questo codice. Guardi il dispositivo e inserisca di nuovo il codice.',
    unknown_place: 'Da qui non si vede dove si trova il dispositivo.',
  },
};
