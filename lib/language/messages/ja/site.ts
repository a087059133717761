export const siteJa = {
  site: {
    all_endpoints: 'すべてのエンドポイント',
    contents: '目次',
    found: '「{query}」の検索結果: {count, plural, other {# 件}}',
    guides: 'ガイド',
    main_menu: 'メインメニュー',
    next: '次へ',
    none_found:
      '「{query}」に一致するものはありません。語を減らすか、別の語で検索するか、ガイドを選んでください。',
    previous: '前へ',
    search: '検索',
    search_documentation: 'ドキュメントを検索',
    tagline: '{service}: OAuth 2.0 認可サーバー',
  },
};
