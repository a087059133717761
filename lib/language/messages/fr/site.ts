export const siteFr = {
  site: {
    all_endpoints: 'Tous les points de terminaison',
    contents: 'Sommaire',
    found: '{count, plural, one {# section} many {# sections} other {# sections}} pour « {query} »',
    guides: 'Guides',
    main_menu: 'Menu principal',
    next: 'Suivant',
    none_found:
      'Aucun résultat pour « {query} ». Essayez moins de mots ou d’autres mots, ou choisissez un guide.',
    previous: 'Précédent',
    search: 'Rechercher',
    search_documentation: 'Rechercher dans la documentation',
    tagline: '{service}, un serveur d’autorisation OAuth 2.0',
  },
};
