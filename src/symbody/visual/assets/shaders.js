// What the graphics card computes, as pairs of programs for corners and for pixels.
const SHADERS = (() => {
  // The eye is far away for the light: what shines and what is seen from the side depends on the normal alone.
  const lit = `
     uniform vec3 light, away, halfway;
     vec4 lit(vec3 n, vec4 colour) {
       vec3 normal = normalize(n);
       float sun = 0.5 + 0.5 * dot(normal, light), sky = 0.5 + 0.5 * normal.z, lamp = max(dot(normal, away), 0.0);
       float gloss = max(dot(normal, halfway), 0.0), rim = 1.0 - lamp;
       gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss * gloss; // to the power of 48
       vec3 seen = colour.rgb * (0.22 + 0.52 * sun * sun + 0.16 * sky + 0.24 * lamp) + 0.16 * gloss;
       return vec4(seen, colour.a < 1.0 ? mix(colour.a, 0.8, rim * rim * rim) : 1.0); // glass is denser at its rim
     }`;
  const solid = [
    `in vec3 position, normal;
     in vec4 tint;
     uniform mat4 view;
     uniform mat3 upright;
     out vec3 n;
     flat out vec4 colour;
     void main() { colour = tint; n = upright * normal; gl_Position = view * vec4(position, 1.0); }`,
    `in vec3 n;
     flat in vec4 colour;
     out vec4 seen;
     ${lit}
     void main() { seen = lit(n, colour); }`,
  ];
  const fading = [ // into the background, towards the horizon
    `in vec3 position, normal;
     in vec4 tint;
     uniform mat4 view;
     uniform vec3 eye;
     uniform float reach;
     out vec3 far;
     out vec4 colour;
     ${lit}
     void main() { colour = lit(normal, tint); far = (position - eye) / reach; gl_Position = view * vec4(position, 1.0); }`,
    `in vec3 far;
     in vec4 colour;
     out vec4 seen;
     void main() { seen = vec4(colour.rgb, colour.a * (1.0 - clamp((dot(far, far) - 0.25) / 0.75, 0.0, 1.0))); }`,
  ];
  const shade = [
    `in vec3 position;
     uniform mat4 view; // of what lies on the floor
     void main() { gl_Position = view * vec4(position, 1.0); }`,
    `uniform vec4 colour;
     out vec4 seen;
     void main() { seen = colour; }`,
  ];
  // A line is a strip that faces the eye, so many pixels wide at both ends; between them its width is linear, as depth is.
  const line = [
    `in vec3 position; // along, across, number of the line
     uniform mat4 view;
     uniform vec3 centre, eye;
     uniform float reach, step, count, thick; // thick: half a width at the distance 1
     out vec2 p;
     out float across, strength;
     void main() {
       bool other = position.z >= count;
       float k = (other ? position.z - count : position.z) - 0.5 * (count - 1.0);
       float c = step * (floor((other ? centre.x : centre.y) / step + 0.5) + k), s = reach * position.x;
       vec3 world = other ? vec3(c, centre.y + s, centre.z) : vec3(centre.x + s, c, centre.z);
       vec3 side = normalize(cross(other ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0), world - eye));
       float depth = (view * vec4(world, 1.0)).w;
       p = (world.xy - centre.xy) / reach;
       across = position.y;
       strength = mod(c / step + 0.5, 5.0) < 1.0 ? 1.0 : 0.45; // every fifth is stronger
       gl_Position = view * vec4(world + thick * depth * position.y * side, 1.0);
     }`,
    `in vec2 p;
     in float across, strength;
     uniform vec4 colour;
     out vec4 seen;
     void main() {
       float fade = 1.0 - smoothstep(0.35, 1.0, length(p)), edge = 1.0 - across * across;
       seen = vec4(colour.rgb, colour.a * strength * fade * edge);
     }`,
  ];
  return { solid, fading, shade, line };
})();
