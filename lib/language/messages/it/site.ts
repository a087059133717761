export const siteIt = {
  site: {
    all_endpoints: 'Tutti gli endpoint',
    contents: 'Contenuto',
    found: '{count, plural, one {# sezione} many {# sezioni} other {# sezioni}} per «{query}»',
    guides: 'Guide',
    main_menu: 'Menu principale',
    next: 'Avanti',
    none_found: 'Nessun risultato per «{query}». Provi con meno parole o con altre, oppure scelga una guida.',
    previous: 'Indietro',
    search: 'Cerca',
    search_documentation: 'Cerca nella documentazione',
    tagline: '{service}, un server di autorizzazione OAuth 2.0',
  },
};
