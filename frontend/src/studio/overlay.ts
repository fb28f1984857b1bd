// What lies over the picture, drawn onto a canvas: texts with their backgrounds, and the faces of gauges.
const styleOf = (one: Element) => getComputedStyle(one);
const shown = (one: Element) => { const { width, height } = one.getBoundingClientRect(); return width > 0 && height > 0; };

/** A picture of an SVG element as it looks now; styles of the page are written into a copy of it. */
const faceOf = (face: SVGElement): Promise<HTMLImageElement> => {
  const copy = face.cloneNode(true) as SVGElement, [own, made] = [face, copy].map((one) => [one, ...one.querySelectorAll("*")]);
  own.forEach((one, k) => {
    const style = styleOf(one);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-linecap", "visibility"])
      made[k].setAttribute(name, style.getPropertyValue(name));
  });
  const { width, height } = face.getBoundingClientRect();
  const frame = { width, height, xmlns: "http://www.w3.org/2000/svg" };
  for (const [name, x] of Object.entries(frame)) copy.setAttribute(name, String(x));
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  return image.decode().then(() => image);
};

/** Draws all boxes, texts and faces inside an element; origin: of the canvas on the page; ratio: its pixels by those there. */
export const drawOverlay = async (
  pen: CanvasRenderingContext2D, root: Element, origin: DOMRect, ratio: number,
): Promise<void> => {
  const place = (one: Element | Range) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return [left - origin.left, top - origin.top, width, height].map((x) => x * ratio) as [number, number, number, number];
  };
  for (const one of [root, ...root.querySelectorAll("*")].filter(shown)) {
    if (one.closest("svg") && one.tagName !== "svg") continue;
    const style = styleOf(one), [x, y, wide, high] = place(one);
    if (style.visibility === "hidden") continue;
    if (style.backgroundColor !== "rgba(0, 0, 0, 0)") {
      pen.fillStyle = style.backgroundColor;
      pen.beginPath();
      pen.roundRect(x, y, wide, high, Math.min(parseFloat(style.borderRadius) || 0, high / 2 / ratio) * ratio);
      pen.fill();
    }
    if (one instanceof SVGElement) {
      pen.drawImage(await faceOf(one), x, y, wide, high);
      continue;
    }
    pen.fillStyle = style.color;
    pen.font = `${style.fontWeight} ${parseFloat(style.fontSize) * ratio}px ${style.fontFamily}`;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    for (const text of [...one.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim())) {
      const range = document.createRange();
      range.selectNodeContents(text);
      const lines = text.textContent!.split("\n"), [left, top, , tall] = place(range);
      pen.save();
      if (style.overflowY !== "visible") { // a strip shows the first lines only
        pen.beginPath();
        pen.rect(x, y, wide, high);
        pen.clip();
      }
      lines.forEach((line, k) => pen.fillText(line, left, top + ((k + 0.5) * tall) / lines.length));
      pen.restore();
    }
  }
};
