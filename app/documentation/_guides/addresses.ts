// Apart from guides.ts, so that a page which only links to a guide loads no Markdown.
export const GUIDES_PATH = '/documentation/guides';
export const guidePath = (id: string): string => `${GUIDES_PATH}/${id}`;
