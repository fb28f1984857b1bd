// elkjs has no types for its minified worker: in a worker it answers messages, elsewhere it offers a class that acts as one.
declare module "elkjs/lib/elk-worker.min.js" {
  const offered: { Worker: new () => Worker };
  export default offered;
}
