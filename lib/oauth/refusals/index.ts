export { counted } from './counted-refusals.ts';
export {
  authorizeError,
  issuerError,
  jsonError,
  malformedRequest,
  negotiatedError,
  pageError,
  prefersHtml,
  tokenError,
} from './render-error.ts';
