export const sitePl = {
  site: {
    all_endpoints: 'Wszystkie punkty końcowe',
    contents: 'Spis treści',
    found: '{count, plural, one {# sekcja} few {# sekcje} many {# sekcji} other {# sekcji}} dla „{query}”',
    guides: 'Przewodniki',
    main_menu: 'Menu główne',
    next: 'Następna',
    none_found: 'Nic nie znaleziono dla „{query}”. Użyj mniej słów lub innych słów albo wybierz przewodnik.',
    previous: 'Poprzednia',
    search: 'Szukaj',
    search_documentation: 'Szukaj w dokumentacji',
    tagline: '{service}, serwer autoryzacji OAuth 2.0',
  },
};
