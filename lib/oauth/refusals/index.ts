export { counted } from './counted-refusals.ts';
export {
  authorizeError,
  issuerError,
  jsonError,
  malformedRequest,
  negotiatedError,
  pageError,
  prefersHtml,
  pushError,
  tokenError,
} from './render-error.ts';
