export {
  flatText,
  type OwnTexts,
  optionalTexts,
  type TextsShown,
  textsShown,
  withFlatTexts,
  withTexts,
} from './own-texts.ts';
export { TEXT_SLOT_NAMES, TEXT_SLOTS, type TextSlot, type TextSlotName } from './slots.ts';
