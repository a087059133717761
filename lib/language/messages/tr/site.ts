export const siteTr = {
  site: {
    all_endpoints: 'Tüm uç noktalar',
    contents: 'İçindekiler',
    found: '“{query}” için {count, plural, one {# bölüm} other {# bölüm}}',
    guides: 'Kılavuzlar',
    main_menu: 'Ana menü',
    next: 'Sonraki',
    none_found:
      '“{query}” için bir şey bulunamadı. Daha az veya başka sözcükler deneyin ya da bir kılavuz seçin.',
    previous: 'Önceki',
    search: 'Ara',
    search_documentation: 'Belgelerde ara',
    tagline: '{service}, bir OAuth 2.0 yetkilendirme sunucusu',
  },
};
