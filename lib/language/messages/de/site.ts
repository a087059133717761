export const siteDe = {
  site: {
    all_endpoints: 'Alle Endpunkte',
    contents: 'Inhalt',
    found: '{count, plural, one {# Abschnitt} other {# Abschnitte}} zu „{query}“',
    guides: 'Anleitungen',
    main_menu: 'Hauptmenü',
    next: 'Weiter',
    none_found:
      'Nichts gefunden zu „{query}“. Versuchen Sie es mit weniger oder anderen Wörtern, oder wählen Sie eine Anleitung.',
    previous: 'Zurück',
    search: 'Suchen',
    search_documentation: 'Dokumentation durchsuchen',
    tagline: '{service}, ein OAuth-2.0-Autorisierungsserver',
  },
};
