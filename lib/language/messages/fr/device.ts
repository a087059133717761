export const deviceFr = {
  device: {
    allowed: 'L’appareil est connecté',
    allowed_lead: 'Revenez à l’appareil : il continue de lui-même. Vous pouvez fermer cette page.',
    asks: 'Connecter un appareil avec {client} ?',
    compare:
      'Le code est arrivé par un lien. Continuez seulement si votre appareil affiche exactement ce code.',
    denied: 'L’appareil n’est pas connecté',
    denied_lead: 'Rien ne lui a été transmis. Vous pouvez fermer cette page.',
    from: 'La demande vient de {from}.',
    from_at: 'Demandé le {time}.',
    gone: 'Ce code ne peut plus être utilisé',
    gone_lead: 'Il a expiré ou a déjà été utilisé. Recommencez sur l’appareil.',
    heading: 'Connecter un appareil',
    lead: 'Saisissez le code que l’appareil affiche.',
    may: 'L’appareil demande à agir en votre nom auprès de {api}.',
    other_network: 'Ce n’est pas votre réseau. Si l’appareil n’est pas auprès de vous, choisissez Refuser.',
    same_network: 'C’est le réseau de ce navigateur.',
    sent: 'Quelqu’un vous a envoyé ce code ? Choisissez Refuser : cette personne agirait en votre nom, et une clé d’accès ne vous en protège pas.',
    unknown: 'Aucun appareil n’attend avec ce code. Vérifiez l’appareil, puis saisissez le code à nouveau.',
    unknown_place: 'L’emplacement de l’appareil est inconnu.',
  },
};
