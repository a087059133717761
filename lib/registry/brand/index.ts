export {
  type BrandValues,
  brand,
  hashOfLogo,
  logoAsData,
  logoFault,
  logoPath,
  MAX_LOGO_BYTES,
  optionalBrand,
  sentLogo,
  shownBrand,
} from './brand.ts';
export { type BrandColours, brandColours } from './brand-colours.ts';
