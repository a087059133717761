export const siteEs = {
  site: {
    all_endpoints: 'Todos los puntos de acceso',
    contents: 'Contenido',
    found: '{count, plural, one {# sección} many {# secciones} other {# secciones}} para «{query}»',
    guides: 'Guías',
    main_menu: 'Menú principal',
    next: 'Siguiente',
    none_found:
      'No se ha encontrado nada para «{query}». Pruebe con menos palabras o con otras, o elija una guía.',
    previous: 'Anterior',
    search: 'Buscar',
    search_documentation: 'Buscar en la documentación',
    tagline: '{service}, un servidor de autorización OAuth 2.0',
  },
};
