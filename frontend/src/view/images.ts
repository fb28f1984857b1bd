// Images on meshes: each is decoded once; until then the shapes have their colour.
import { RepeatWrapping, SRGBColorSpace, Texture } from "three";
import { bytesOf } from "./geometry.ts";

const white = () => {
  const sheet = document.createElement("canvas"), pen = sheet.getContext("2d")!;
  [sheet.width, sheet.height, pen.fillStyle] = [1, 1, "#fff"];
  pen.fillRect(0, 0, 1, 1);
  return sheet;
};

/** Textures by their data: addresses; `loaded` is called when one more can be seen. */
export const makeImages = (loaded: () => void): ((address: string) => Texture) => {
  const found = new Map<string, Texture>();
  return (address) => {
    const known = found.get(address);
    if (known) return known;
    const made = new Texture<HTMLCanvasElement | ImageBitmap>(white());
    found.set(address, made);
    [made.wrapS, made.wrapT, made.colorSpace, made.flipY] = [RepeatWrapping, RepeatWrapping, SRGBColorSpace, false];
    made.needsUpdate = true;
    const [head, data] = address.split(",", 2);
    const file = new Blob([bytesOf(data) as Uint8Array<ArrayBuffer>], { type: head.slice(5).split(";")[0] });
    const how = { imageOrientation: "flipY", premultiplyAlpha: "none", colorSpaceConversion: "none" } as const;
    createImageBitmap(file, how).then((image) => {
      made.dispose(); // it has another size now
      made.image = image;
      made.needsUpdate = true;
      loaded();
    }, () => undefined); // a damaged image leaves the shape in its colour
    return made;
  };
};
