// Apart from guides.tsx, so that a page which only links to a guide loads no Markdown.
export const GUIDES_PATH = '/documentation/guides';
export const guidePath = (id: string): string => `${GUIDES_PATH}/${id}`;

/** A guide's code with the packages at the address of this service. */
export const withServedPackages = (code: string, baseUrl: string): string =>
  code.replaceAll(/https:\/\/(?:auth|login)\.example\/packages\//g, `${baseUrl}/packages/`);
