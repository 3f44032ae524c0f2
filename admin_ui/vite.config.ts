import preact from "@preact/preset-vite";
import { defineConfig } from "vitest/config";

// The built files are committed: names without hashes of time, one script and one style sheet, views loaded when they are opened.
export default defineConfig({
  base: "/admin/",
  plugins: [preact()],
  build: {
    outDir: "../src/mindlog/api/static",
    emptyOutDir: true,
    sourcemap: false,
    modulePreload: { polyfill: false },
    rollupOptions: {
      output: {
        entryFileNames: "assets/[name].js",
        chunkFileNames: "assets/[name].js",
        assetFileNames: "assets/[name][extname]",
      },
    },
  },
  server: { proxy: { "/v1": "http://127.0.0.1:7464", "/readyz": "http://127.0.0.1:7464" } },
  test: { environment: "jsdom", setupFiles: ["src/tests.ts"] },
});
