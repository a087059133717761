export const deviceDe = {
  device: {
    allowed: 'Das Gerät ist verbunden',
    allowed_lead: 'Gehen Sie zum Gerät zurück: Es macht von selbst weiter. Sie können diese Seite schließen.',
    asks: 'Ein Gerät mit {client} verbinden?',
    compare: 'Der Code kam mit einem Link. Fahren Sie nur fort, wenn Ihr Gerät genau diesen Code zeigt.',
    denied: 'Das Gerät ist nicht verbunden',
    denied_lead: 'Es wurde nichts an das Gerät weitergegeben. Sie können diese Seite schließen.',
    from: 'Die Anfrage kommt von {from}.',
    from_at: 'Angefragt {time}.',
    gone: 'Dieser Code gilt nicht mehr',
    gone_lead: 'Er ist abgelaufen oder wurde schon verwendet. Beginnen Sie am Gerät von vorn.',
    heading: 'Ein Gerät verbinden',
    lead: 'Geben Sie den Code ein, den das Gerät zeigt.',
    may: 'Das Gerät möchte in Ihrem Namen auf {api} zugreifen.',
    other_network: 'Das ist nicht Ihr Netz. Wenn das Gerät nicht bei Ihnen ist, wählen Sie Ablehnen.',
    same_network: 'Das ist das Netz dieses Browsers.',
    sent: 'Hat Ihnen jemand diesen Code geschickt? Wählen Sie Ablehnen: Diese Person würde in Ihrem Namen handeln, und ein Passkey schützt Sie davor nicht.',
    unknown:
      'Kein Gerät wartet mit diesem Code. Sehen Sie auf das Gerät und geben Sie den Code noch einmal ein.',
    unknown_place: 'Der Standort des Geräts ist unbekannt.',
  },
};
