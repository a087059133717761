// What of SVG and CSS a logo may have.

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const ELEMENTS =
  words(`svg g path rect circle ellipse line polyline polygon text tspan defs linearGradient radialGradient
  stop clipPath mask title desc style`);

export const ATTRIBUTES =
  words(`xmlns xmlns:xlink xmlns:svg version baseProfile id class style type role aria-label aria-labelledby aria-hidden
  focusable data-name xml:space xml:lang lang x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy rotate width height d points pathLength
  viewBox preserveAspectRatio transform gradientUnits gradientTransform spreadMethod offset clipPathUnits maskUnits
  maskContentUnits textLength lengthAdjust href xlink:href alignment-baseline baseline-shift clip-path clip-rule color
  color-interpolation display dominant-baseline enable-background fill fill-opacity fill-rule font-family font-size font-style
  font-weight font-stretch letter-spacing mask mask-type mix-blend-mode isolation opacity overflow paint-order shape-rendering
  stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
  stroke-opacity stroke-width text-anchor text-decoration text-rendering vector-effect visibility word-spacing writing-mode
  color-rendering image-rendering`);

/** Names and words, which nothing reads as a style. */
export const PLAIN = /^(?:id|class|role|lang|xml:lang|data-name|aria-.*)$/;
/** Only a gradient takes the stops of another. */
export const REFERRING = words('linearGradient radialGradient');
/** What is drawn again wherever it is referred to; one within another could be drawn without end. */
export const REPEATED = words('clipPath mask');

/** Nothing is fetched, imported, escaped or moved; `url()` names an element of this very file. */
export function isHarmlessCss(value: string): boolean {
  const rest = value.replace(/url\(\s*(["']?)#[\w.-]{1,100}\1\s*\)/gi, '');
  return !/[\\@<]|\/\*|url|src\s*\(|image\s*\(|-set\s*\(|element\s*\(|cross-fade|attr\s*\(|env\s*\(|var\s*\(|expression|behavior|binding|animation|transition|filter|script:|data:|https?:|\/\//i.test(
    rest,
  );
}
