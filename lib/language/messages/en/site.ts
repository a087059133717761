// Texts of the frame around public pages. The content of these pages is English.
export const siteEn = {
  site: {
    all_endpoints: 'All endpoints',
    contents: 'Contents',
    found: '{count, plural, one {# section} other {# sections}} for “{query}”',
    guides: 'Guides',
    main_menu: 'Main menu',
    next: 'Next',
    none_found: 'Nothing found for “{query}”. Try fewer or other words, or choose a guide.',
    previous: 'Previous',
    search: 'Search',
    search_documentation: 'Search the documentation',
    tagline: '{service}, an OAuth 2.0 authorization server',
  },
} as const;
