export const siteAr = {
  site: {
    all_endpoints: 'كل نقاط النهاية',
    contents: 'المحتويات',
    found:
      '{count, plural, zero {لا أقسام} one {قسم واحد} two {قسمان} few {# أقسام} many {# قسمًا} other {# قسم}} عن «{query}»',
    guides: 'الأدلة',
    main_menu: 'القائمة الرئيسية',
    next: 'التالي',
    none_found: 'لم يُعثر على شيء عن «{query}». جرّب كلمات أقل أو كلمات أخرى، أو اختر دليلًا.',
    previous: 'السابق',
    search: 'بحث',
    search_documentation: 'البحث في الوثائق',
    tagline: '{service}، خادم تخويل OAuth 2.0',
  },
};
