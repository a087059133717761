export const sitePtBR = {
  site: {
    all_endpoints: 'Todos os endpoints',
    contents: 'Conteúdo',
    found: '{count, plural, one {# seção} many {# seções} other {# seções}} para “{query}”',
    guides: 'Guias',
    main_menu: 'Menu principal',
    next: 'Próximo',
    none_found:
      'Nada encontrado para “{query}”. Tente menos palavras ou outras palavras, ou escolha um guia.',
    previous: 'Anterior',
    search: 'Pesquisar',
    search_documentation: 'Pesquisar na documentação',
    tagline: '{service}, um servidor de autorização OAuth 2.0',
  },
};
