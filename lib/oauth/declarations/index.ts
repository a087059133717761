export { declarations } from './declarations.ts';
export {
  handleChangePassword,
  handleFavicon,
  handlePasskeyEndpoints,
  handleRobots,
} from './probed-addresses.ts';
export { handleRelatedOrigins } from './related-origins.ts';
