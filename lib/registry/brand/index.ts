export {
  type BrandValues,
  brand,
  hashOfLogo,
  isShownAt,
  logoAsData,
  logoFault,
  logoPath,
  MAX_LOGO_BYTES,
  optionalBrand,
  sentLogo,
  shownBrand,
  type Wearer,
} from './brand.ts';
export { type BrandColours, brandColours, nearestReadable, type Theme } from './brand-colours.ts';
