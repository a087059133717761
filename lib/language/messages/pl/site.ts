export const sitePl = {
  site: {
    all_endpoints: 'Wszystkie punkty końcowe',
    contents: 'Spis treści',
    found: '{count, plural, one {# sekcja} few {# sekcje} many {# sekcji} other {# sekcji}} dla „{query}”',
    guides: 'Przewodniki',
    main_menu: 'Menu główne',
    next: 'Dalej',
    none_found:
      'Nic nie znaleziono dla „{query}”. Można użyć mniejszej liczby słów albo innych słów lub wybrać przewodnik.',
    previous: 'Wstecz',
    search: 'Szukaj',
    search_documentation: 'Szukaj w dokumentacji',
    tagline: '{service}, serwer autoryzacji OAuth 2.0',
  },
};
